/** How much a garden may store, or a user may do at a time. */
export interface QuotaDeclaration {
  /**
   * `stored`: counted in the database. `trimmed`: likewise, but the oldest are deleted instead of refusing new ones. `in
   * flight`: at the same time. `hourly`: per hour. The last two are counted per process.
   */
  readonly kind: 'stored' | 'trimmed' | 'in flight' | 'hourly';
  /** `garden`: counted for each garden, of which a user may have several. `user`: for the user who acts, in all gardens together. */
  readonly per: 'garden' | 'user';
  readonly limit: number;
  /** For demo accounts, if it is lower. */
  readonly demoLimit: number;
  /** What is limited, for documents and tables: "photos". */
  readonly description: string;
  /** The sentence of the 422 or 507; the limit is added. */
  readonly refusal: string;
}

const mebibyte = 1024 * 1024;

/** THE list of quotas. Settings (`QUOTA_…`), `GET /api/usage`, `potager user quota` and `doctor` follow from it. [ADR 35] */
export const quotas = {
  photo_bytes: {
    kind: 'stored',
    per: 'garden',
    limit: 2048 * mebibyte,
    demoLimit: 50 * mebibyte,
    description: 'bytes of photos and uploads',
    refusal: 'The storage for photos is full. Delete photos, or ask the operator for more.',
  },
  photos: {
    kind: 'stored',
    per: 'garden',
    limit: 20_000,
    demoLimit: 500,
    description: 'photos',
    refusal: 'The account has too many photos. Delete some of them.',
  },
  tokens: {
    kind: 'stored',
    per: 'garden',
    limit: 1000,
    demoLimit: 100,
    description: 'sessions, except those of robots; a sign-in beyond them ends the oldest',
    refusal: 'The account has too many sessions. Sign out elsewhere, or set a new password, which ends all of them.',
  },
  webhooks: {
    kind: 'stored',
    per: 'garden',
    limit: 10,
    demoLimit: 0,
    description: 'webhooks',
    refusal: 'The account has too many webhooks. Delete one of them.',
  },
  personal_tokens: {
    kind: 'stored',
    per: 'garden',
    limit: 100,
    demoLimit: 5,
    description: 'personal tokens',
    refusal: 'The account has too many personal tokens. Revoke some of them.',
  },
  published_bytes: {
    kind: 'stored',
    per: 'garden',
    limit: 50 * mebibyte,
    demoLimit: 0,
    description: 'bytes of published versions of sequences',
    refusal:
      'The published versions of sequences take too much space. Unpublish some sequences, also deleted ones, or ask the operator for more.',
  },
  history_bytes: {
    kind: 'trimmed',
    per: 'garden',
    limit: 200 * mebibyte,
    demoLimit: 5 * mebibyte,
    description: 'bytes of the history of changes; beyond them the oldest changes are deleted',
    refusal: 'The history is full.',
  },
  uploads_in_flight: {
    kind: 'in flight',
    per: 'garden',
    limit: 20,
    demoLimit: 2,
    description: 'uploads at the same time',
    refusal: 'The robot is uploading too many files at the same time.',
  },
  imports_in_flight: {
    kind: 'in flight',
    per: 'user',
    limit: 1,
    demoLimit: 0,
    description: 'imports at the same time',
    refusal: 'Another import into this account is in progress.',
  },
  commands_in_flight: {
    kind: 'in flight',
    per: 'garden',
    limit: 10,
    demoLimit: 2,
    description: 'commands that wait for the robot at the same time',
    refusal: 'Too many commands are waiting for the robot.',
  },
  exports_per_hour: {
    kind: 'hourly',
    per: 'user',
    limit: 30,
    demoLimit: 5,
    description: 'exports per hour',
    refusal: 'The account was exported too often. Try again in an hour.',
  },
} as const satisfies Record<string, QuotaDeclaration>;

export type QuotaName = keyof typeof quotas;

/** The names of quotas of one kind. */
export type QuotaOf<Kind extends QuotaDeclaration['kind']> = {
  [Name in QuotaName]: (typeof quotas)[Name]['kind'] extends Kind ? Name : never;
}[QuotaName];

export const quotaNames = Object.keys(quotas) as readonly QuotaName[];

/** The limits of an account that has none of its own. */
export type QuotaLimits = Readonly<Record<QuotaName, number>>;

/** What an account uses of a quota. */
export interface QuotaUsage {
  readonly used: number;
  readonly limit: number;
}

/** Returns the sentence of a refusal. */
export const quotaRefusal = (name: QuotaName, limit: number): string =>
  limit === 0
    ? `This account cannot do this: it may have no ${quotas[name].description}.`
    : `${quotas[name].refusal} (At most ${limit}.)`;
