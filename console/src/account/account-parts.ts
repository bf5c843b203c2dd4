/** THE list of the parts of the account's page, in order. */
export const accountParts = [
  'profile',
  'sessions',
  'tokens',
  'notifications',
  'people',
  'gardens',
  'webhooks',
  'home',
  'calendar',
  'data',
  'end',
] as const;
