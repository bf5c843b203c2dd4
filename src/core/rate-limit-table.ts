/** A limit of requests in fixed windows. [rule V4] */
export interface RateLimit {
  readonly limit: number;
  /** In ms. */
  readonly period: number;
  /** The routes that share the limit, for the documentation. */
  readonly per: string;
  /** The counted requests, for the documentation. */
  readonly subject: string;
}

const minute = 60_000;
const hour = 60 * minute;
const network = 'network';

/** The factor of the limits of all networks of an IPv6 site together. [ADR 40] */
export const siteFactor = 16;

/** THE table of limits of requests, from which docs/limits.md is generated. [rule H10, ADR 7] */
export const rateLimits = {
  general: { limit: 1000, period: minute, per: network, subject: 'requests' },
  robotReads: {
    limit: 3000,
    period: minute,
    per: network,
    subject: 'reads of single records by sessions of robots, which do not count as other requests',
  },
  sync: { limit: 15, period: minute, per: network, subject: '`GET /api/device/sync`' },
  reset: { limit: 30, period: hour, per: network, subject: '`/api/password_resets`' },
  resetRequests: {
    limit: 3,
    period: hour,
    per: 'network and e-mail address',
    subject: 'requests for a password reset',
  },
  resetMails: { limit: 10, period: hour, per: 'e-mail address', subject: 'mails with a link for a password reset' },
  calendarFeeds: { limit: 120, period: hour, per: network, subject: '`GET /api/calendar_feed/{file}`' },
  gardenTimes: { limit: 300, period: minute, per: 'garden', subject: '`GET /api/garden`' },
  demoPages: { limit: 50, period: hour, per: network, subject: 'pages for demo accounts' },
  demoAccounts: { limit: 10, period: hour, per: network, subject: 'demo accounts' },
  signUps: { limit: 10, period: hour, per: network, subject: '`POST /api/users`' },
  unverified: {
    limit: 30,
    period: hour,
    per: network,
    subject:
      '`POST /api/users/resend_verification`, `POST /api/verification_mails`, sign-ins to accounts whose address is not confirmed, requests for another e-mail address, and `POST /api/invitations/show` and `/decline` with links that do not exist',
  },
  confirmationMails: {
    limit: 3,
    period: hour,
    per: 'mailbox',
    subject: 'mails that ask to confirm an address',
  },
  emailChanges: { limit: 5, period: hour, per: 'account', subject: 'changes of the e-mail address' },
  invitations: { limit: 30, period: hour, per: 'account', subject: 'invitations' },
  temporaryTokens: { limit: 20, period: hour, per: 'account', subject: '`POST /api/tokens/temporary`' },
} as const satisfies Record<string, RateLimit>;

/** The delays of attempts after wrong passwords. */
export interface PasswordPause {
  /** Wrong passwords without a pause. */
  readonly free: number;
  /** The first pause in ms; each further wrong password doubles it. */
  readonly first: number;
  /** In ms. */
  readonly max: number;
  /** After this time, in ms, one wrong password expires. */
  readonly decayTime: number;
  readonly per: string;
}

const usualPause = { free: 10, first: 1000, max: 15 * minute, decayTime: 10 * minute } as const;

/** THE table of pauses after wrong passwords. [ADR 31] */
export const passwordPauses = {
  known: {
    ...usualPause,
    max: minute,
    per: 'account and network, from networks that have signed in to the account before',
  },
  account: { ...usualPause, per: 'account, from all other networks together' },
  network: { ...usualPause, free: 30, per: 'network, for all accounts to which it has not signed in before' },
  site: { ...usualPause, free: 30 * siteFactor, per: 'IPv6 site, in the same way' },
} as const satisfies Record<string, PasswordPause>;
