import { Failure } from '../core/errors.ts';
import type { Message } from '../core/message.ts';
import { messagesIn } from '../core/message.ts';
import type { AnyResource } from './resource.ts';
import type { Scope, Tag, TagName } from './tags.ts';
import { scopeNames, tags } from './tags.ts';

const say = messagesIn({
  en: {
    role: (needed: string, own: string) => `This needs the role ${needed}; your role in this garden is ${own}.`,
    personalToken: 'A personal token cannot do this. Sign in with your password.',
    scope: (scopes: string) => `The token does not have the scope ${scopes}.`,
    robot: 'The session of a robot cannot do this. Sign in with your password.',
  },
  fr: {
    role: () => 'Votre rôle dans ce jardin ne permet pas cela.',
    personalToken: 'Un jeton personnel ne peut pas faire cela. Connectez-vous avec votre mot de passe.',
    scope: (scopes) => `Le jeton n’a pas ce droit : ${scopes}.`,
    robot: 'La session d’un robot ne peut pas faire cela. Connectez-vous avec votre mot de passe.',
  },
});

/** The roles of people in a garden, each with the rights of the roles before it. */
export const roles = ['viewer', 'gardener', 'owner'] as const;

export type Role = (typeof roles)[number];

/** The rights of a credential in its garden. */
export interface Rights {
  readonly role: Role;
  /** The scopes of a personal token; null: all rights of the role. */
  readonly scopes: ReadonlySet<Scope> | null;
}

/** The rights of a session of the garden's owner. */
export const allRights: Rights = { role: 'owner', scopes: null };

/** The scopes of the garden's data: programs of a robot need them, and their authors can read its token. [ADR 92] */
export const robotScopes: ReadonlySet<Scope> = new Set(
  scopeNames.filter((name) => name !== 'account' && name !== 'admin'),
);

/** Returns the rights of the session of a robot whose user has a role: a gardener's at most. [rule A38, ADR 92] */
export const robotRights = (role: Role): Rights => ({
  role: hasRole(role, 'gardener') ? 'gardener' : role,
  scopes: robotScopes,
});

/** The needs of an operation in addition to its tag's and method's. */
export interface RightsDeclaration {
  /** The least role. Without it: the tag's, or else `viewer` to read and `gardener` for other methods. */
  readonly role?: Role;
  /** Changes nothing although its method is not GET. */
  readonly readsOnly?: true;
  /** Replaces the scope that follows from tag and method. `any`: the handler checks the needs of each record. */
  readonly scope?: Scope | 'any';
  /** Rejects robots' sessions, temporary and personal tokens, because it issues tokens or addresses, ends sessions, or changes the ways to sign in to the account. [ADR 41, 49, 92] */
  readonly needsSession?: true;
  /** Needs the password in the body, or a session that began with it less than an hour ago; rejects robots' sessions, temporary and personal tokens. [ADR 49] */
  readonly confirms?: true;
  /** Rejects robots' sessions, although their scopes suffice, because it is about the user and not about the garden. [ADR 92] */
  readonly personal?: true;
}

/** The facts from which the rights to an operation follow. */
export interface Guarded extends RightsDeclaration {
  readonly method: string;
  readonly tag: TagName;
}

/** The needs of an operation of a credential. */
export interface Need {
  readonly role: Role;
  /** One of them suffices. `session`: all rights of the role; `any`: none. */
  readonly scopes: readonly Scope[] | 'session' | 'any';
  /** Rejects robots whose rights would suffice. */
  readonly isPersonal?: boolean;
}

/** Returns whether a role has the rights of another. */
export const hasRole = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least);

/** Returns the needs of an operation. */
export function needOf({ method, tag: name, role, scope, readsOnly, needsSession, confirms, personal }: Guarded): Need {
  const tag: Tag = tags[name];
  const isRead = method === 'GET' || readsOnly === true;
  const least = { role: role ?? (isRead ? (tag.reader ?? 'viewer') : (tag.writer ?? 'gardener')) };
  if (needsSession || confirms) return { ...least, scopes: 'session' };
  const scopes = scope === 'any' ? 'any' : scope ? [scope] : isRead ? readers(tag) : [tag.scope];
  return { ...least, scopes, ...(personal ? { isPersonal: true } : {}) };
}

const readers = ({ scope, isPrivate }: Tag): readonly Scope[] => (isPrivate ? [scope] : ['read', scope]);

/** Returns the reason why a credential is refused something, as a sentence that names the missing role or scope; null if it may. */
export function refusal({ role, scopes }: Rights, need: Need): Message | null {
  if (!hasRole(role, need.role)) return say.role(need.role, role);
  if (scopes === null || need.scopes === 'any') return null;
  if (need.scopes === 'session') return say.personalToken;
  if (need.scopes.some((scope) => scopes.has(scope))) return null;
  return say.scope(need.scopes.join(' or '));
}

/** Throws 403, which names the role, unless a credential has it. */
export function assertRole(rights: Rights, role: Role): void {
  const reason = refusal(rights, { role, scopes: 'any' });
  if (reason !== null) throw new Failure('forbidden', reason);
}

/** The reason for refusing a robot's session an operation that {@link isForPeople}. */
export const robotRefusal = say.robot;

/** Whether an operation is for people: no robot may carry it out, whatever the role of its user. [ADR 92] */
export const isForPeople = (need: Need): boolean =>
  need.isPersonal === true || refusal(robotRights('owner'), need) !== null;

/** The rules of logged records that are not resources. Users are logged with their addresses, which only owners see of others. */
const others = { Device: { tag: 'Device' }, User: { tag: 'Account', role: 'owner' } } as const satisfies Record<
  string,
  Omit<Guarded, 'method'>
>;

/** The receivers of changes by logged resource: the rights of a credential, and the messages of the broker. */
export class ResourceRights {
  readonly #guards = new Map<string, Omit<Guarded, 'method'>>(Object.entries(others));
  readonly #unpublished = new Set<string>();

  constructor(resources: readonly AnyResource[]) {
    for (const { options } of resources) {
      const { changeLogName, tag, isPublished = true } = options;
      if (changeLogName === null) continue;
      this.#guards.set(changeLogName, { tag });
      if (!isPublished) this.#unpublished.add(changeLogName);
    }
  }

  /** The names of all logged resources. */
  get names(): readonly string[] {
    return [...this.#guards.keys()];
  }

  /** Whether changes of a resource are announced to clients of the broker. */
  isPublished(resource: string): boolean {
    return !this.#unpublished.has(resource);
  }

  /** Returns the predicate of the resources, by their names in the log, that a credential may read. Unknown names: none. */
  readable(rights: Rights): (resource: string) => boolean {
    return this.#allowed(rights, 'GET');
  }

  /** Whether no member but owners may read a resource. */
  isForOwners(resource: string): boolean {
    return !this.readable({ role: 'gardener', scopes: null })(resource);
  }

  /** Like {@link readable}, for writing. */
  writable(rights: Rights): (resource: string) => boolean {
    return this.#allowed(rights, 'PATCH');
  }

  #allowed(rights: Rights, method: string): (resource: string) => boolean {
    return (resource) => {
      const guard = this.#guards.get(resource);
      return guard !== undefined && refusal(rights, needOf({ ...guard, method })) === null;
    };
  }
}
