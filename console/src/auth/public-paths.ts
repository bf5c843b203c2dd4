/** THE list of pages without a session. The first picture of other pages has the frame of a garden. */
export const publicPaths = [
  'sign-in',
  'sign-up',
  'forgotten-password',
  'password-reset',
  'take-back',
  'confirmed',
  'dead-link',
  'invitation',
  'sign-out',
  'demo',
  'robot-setup',
  'featured',
  'set-up',
] as const;

export type PublicPath = (typeof publicPaths)[number];
