import type { Message } from './message.ts';
import { messagesIn } from './message.ts';
import { mebibyte, sizeText } from './size-text.ts';

/** A limit on the records of a garden, or on the actions of a user. */
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
  /** Its limits are numbers of bytes, which people read in MiB. */
  readonly isSize?: true;
  /** The name for documents and tables: "photos". */
  readonly description: string;
}

/** THE list of quotas. Settings (`QUOTA_…`), `GET /api/usage`, `potager user quota` and `doctor` follow from it. [ADR 35] */
export const quotas = {
  photo_bytes: {
    kind: 'stored',
    per: 'garden',
    limit: 2048 * mebibyte,
    demoLimit: 50 * mebibyte,
    isSize: true,
    description: 'bytes of photos and uploads',
  },
  photos: {
    kind: 'stored',
    per: 'garden',
    limit: 20_000,
    demoLimit: 500,
    description: 'photos',
  },
  tokens: {
    kind: 'stored',
    per: 'garden',
    limit: 1000,
    demoLimit: 100,
    description: 'sessions (except those of robots); a sign-in beyond them ends the oldest',
  },
  webhooks: {
    kind: 'stored',
    per: 'garden',
    limit: 10,
    demoLimit: 0,
    description: 'webhooks',
  },
  personal_tokens: {
    kind: 'stored',
    per: 'garden',
    limit: 100,
    demoLimit: 5,
    description: 'personal tokens',
  },
  published_bytes: {
    kind: 'stored',
    per: 'garden',
    limit: 50 * mebibyte,
    demoLimit: 0,
    isSize: true,
    description: 'bytes of published versions of sequences',
  },
  history_bytes: {
    kind: 'trimmed',
    per: 'garden',
    limit: 200 * mebibyte,
    demoLimit: 5 * mebibyte,
    isSize: true,
    description: 'bytes of the history of changes; beyond them the oldest changes are deleted',
  },
  uploads_in_flight: {
    kind: 'in flight',
    per: 'garden',
    limit: 20,
    demoLimit: 2,
    description: 'uploads at the same time',
  },
  imports_in_flight: {
    kind: 'in flight',
    per: 'user',
    limit: 1,
    demoLimit: 0,
    description: 'imports at the same time',
  },
  commands_in_flight: {
    kind: 'in flight',
    per: 'garden',
    limit: 10,
    demoLimit: 2,
    description: 'commands that wait for the robot at the same time',
  },
  exports_per_hour: {
    kind: 'hourly',
    per: 'user',
    limit: 30,
    demoLimit: 5,
    description: 'exports per hour',
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

/** The usage of a quota by an account. */
export interface QuotaUsage {
  readonly used: number;
  readonly limit: number;
}

/** The message where there is no room under a quota; the limit is added. */
const refusals = messagesIn<Record<QuotaName, string>>({
  en: {
    photo_bytes: 'The storage for photos is full. Delete photos, or ask the operator for more.',
    photos: 'The account has too many photos. Delete some of them.',
    tokens: 'The account has too many sessions. Sign out elsewhere, or set a new password, which ends all of them.',
    webhooks: 'The account has too many webhooks. Delete one of them.',
    personal_tokens: 'The account has too many personal tokens. Revoke some of them.',
    published_bytes:
      'The published versions of programs take too much space. Withdraw some programs, or ask the operator for more.',
    history_bytes: 'The history is full.',
    uploads_in_flight: 'The robot is uploading too many files at the same time.',
    imports_in_flight: 'Another import into this account is in progress.',
    commands_in_flight: 'Too many commands are waiting for the robot.',
    exports_per_hour: 'The account was exported too often. Try again in an hour.',
  },
  fr: {
    photo_bytes: 'Le stockage des photos est plein. Supprimez des photos, ou demandez plus de place à l’exploitant.',
    photos: 'Le compte a trop de photos. Supprimez-en.',
    tokens:
      'Le compte a trop de sessions. Déconnectez-vous ailleurs, ou changez de mot de passe, ce qui les termine toutes.',
    webhooks: 'Le compte a trop de webhooks. Supprimez-en un.',
    personal_tokens: 'Le compte a trop de jetons personnels. Révoquez-en.',
    published_bytes:
      'Les versions publiées des programmes prennent trop de place. Retirez-en, ou demandez plus de place à l’exploitant.',
    history_bytes: 'L’historique est plein.',
    uploads_in_flight: 'Le robot envoie trop de fichiers à la fois.',
    imports_in_flight: 'Un autre import dans ce compte est en cours.',
    commands_in_flight: 'Trop de commandes attendent le robot.',
    exports_per_hour: 'Le compte a été exporté trop souvent. Réessayez dans une heure.',
  },
  api: {
    published_bytes:
      'The published versions of sequences take too much space. Unpublish some sequences, also deleted ones, or ask the operator for more.',
  },
});

/** The same of quotas of which the account has nothing. */
const none = messagesIn<Record<QuotaName, string>>({
  en: Object.fromEntries(
    quotaNames.map((name) => {
      const things = quotas[name].description.replace(/^bytes of /, '');
      return [name, `This account cannot do this: it may have no ${things}.`];
    }),
  ) as Record<QuotaName, string>,
  fr: {
    photo_bytes: 'Ce compte ne peut pas avoir de photos.',
    photos: 'Ce compte ne peut pas avoir de photos.',
    tokens: 'Ce compte ne peut pas avoir de sessions.',
    webhooks: 'Ce compte ne peut pas avoir de webhooks.',
    personal_tokens: 'Ce compte ne peut pas avoir de jetons personnels.',
    published_bytes: 'Ce compte ne peut pas publier de programmes.',
    history_bytes: 'Ce compte ne peut pas avoir d’historique.',
    uploads_in_flight: 'Ce compte ne peut pas envoyer de fichiers.',
    imports_in_flight: 'Ce compte ne peut rien importer.',
    commands_in_flight: 'Ce compte ne peut pas commander de robot.',
    exports_per_hour: 'Ce compte ne peut pas être exporté.',
  },
});

const say = messagesIn({
  en: { atMost: (refusal: string, limit: number | string) => `${refusal} (At most ${limit}.)` },
  fr: { atMost: (refusal, limit) => `${refusal} (${limit} au plus.)` },
});

/** All of these sentences, which are stored in logs as well. */
export const sayOfQuotas = [refusals, none, say];

/** Returns a limit as people read it. */
export const limitText = (name: QuotaName, limit: number): number | Message =>
  'isSize' in quotas[name] ? sizeText(limit) : limit;

/** Returns the sentence of a refusal, with a 422 or 507. */
export const quotaRefusal = (name: QuotaName, limit: number): Message =>
  limit === 0 ? none[name] : say.atMost(refusals[name], limitText(name, limit));
