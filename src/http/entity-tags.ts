import { createHash } from 'node:crypto';
import type { Eventual } from '../core/eventual.ts';
import { andThen } from '../core/eventual.ts';
import type { ChangeLog } from '../db/change-log.ts';
import type { DeviceScope } from '../db/scope.ts';
import { matchesTag, sentTags, tagOf } from '../engine/entity-tag.ts';
import type { AnyResource } from '../engine/resource.ts';
import type { Call, HandlerResult, RequestHeaders, Session } from '../engine/route.ts';
import { jsonContentType, Reply, type StreamedReply } from '../engine/route.ts';

/** A tag that is further behind the newest change is not looked up: ids are shared by all devices of a server. */
const maxDistance = 20_000;

/** `"<the last change>-<hash of other inputs of the answer>"`. */
const tagPattern = /^"(\d{1,15})-([\w-]{11})"$/;

const withTag = ({ body, type, headers }: Reply, etag: string): Reply =>
  new Reply(body, type, 200, { ...headers, etag });

/** Returns 304 with the headers of a reply. */
const unchanged = ({ type, headers }: Reply): Reply => new Reply('', type, 304, headers);

/** The result of a handler, with an entity tag if it is a reply of status 200. */
type Answer =
  | { readonly isTagged: true; readonly result: Reply }
  | { readonly isTagged: false; readonly result: HandlerResult };

const isWhole = (result: HandlerResult): result is Reply => result instanceof Reply && result.status === 200;

const taggedWith = (etag: string, result: HandlerResult): Answer =>
  isWhole(result) ? { isTagged: true, result: withTag(result, etag) } : { isTagged: false, result };

/** The path of a route, and the tables from which its answer follows. */
interface RouteTables {
  readonly path: string;
  readonly tables: readonly string[];
}

/** Returns a reply of status 200 with the entity tag of its text, or 304 if the client has it; other replies, and replies with a tag, as they are. [ADR 66] */
export function tagged(call: RequestHeaders, reply: Reply | StreamedReply): Reply | StreamedReply {
  if (!(reply instanceof Reply) || reply.status !== 200 || reply.headers.etag !== undefined) return reply;
  const etag = tagOf(reply.body);
  const whole = withTag(reply, etag);
  return matchesTag(call, etag) ? unchanged(whole) : whole;
}

/**
 * The entity tags of answers that follow from the records of a garden, the request and the rights of the caller. A tag
 * contains the number of the garden's last change; it is current as long as no record that is in the answer changed since. [ADR 65]
 */
export class EntityTags {
  readonly #changes: ChangeLog;
  /** Names in the log by table. */
  readonly #names: ReadonlyMap<string, string | null>;
  readonly #version: string;
  /** Names in the log of the tables of one route; null if changes of one of them are not logged. */
  readonly #resources = new WeakMap<readonly string[], readonly string[] | null>();
  /** The last hash of each session: a client repeats its requests. */
  readonly #hashes = new WeakMap<Session, { readonly request: string; readonly hash: string }>();

  /** `version`: of the program, which decides the form of answers. */
  constructor(changes: ChangeLog, resources: readonly AnyResource[], version: string) {
    this.#changes = changes;
    this.#names = new Map(resources.map(({ name, options }) => [name, options.changeLogName]));
    this.#version = version;
  }

  /**
   * Returns 304 if the client's copy is current by the change log, or else the answer with its tag, from memory while nothing changed.
   */
  answer(
    scope: DeviceScope,
    call: Call,
    route: RouteTables,
    handle: () => Promise<HandlerResult>,
  ): Eventual<HandlerResult> {
    const resources = this.#resourcesOf(route.tables);
    if (resources === null) return handle();
    const hash = this.#hashOf(scope, call);
    const sent = sentTags(call);
    const recall = (): Eventual<HandlerResult> => {
      const answer = this.#recall(scope, call, route.path, async () => {
        // Before the records are read: a change in between must not be in the tag.
        const last = await this.#changes.lastId(scope);
        return taggedWith(`W/"${last}-${hash}"`, await handle());
      });
      return andThen(answer, ({ result, isTagged }) => (isTagged && sent?.includes('*') ? unchanged(result) : result));
    };
    const number = sent && newestOf(sent, hash);
    if (number === null) return recall();
    const confirmed = new Reply('', jsonContentType, 304, { etag: `W/"${number}-${hash}"` });
    return andThen(this.#isCurrent(scope, number, resources), (isCurrent) => (isCurrent ? confirmed : recall()));
  }

  /** Returns the answer with the tag of its text, from memory while nothing changed, or 304. */
  keep(scope: DeviceScope, call: Call, path: string, handle: () => Promise<HandlerResult>): Eventual<HandlerResult> {
    const answer = this.#recall(scope, call, path, async () => {
      const read = await handle();
      return isWhole(read) ? taggedWith(tagOf(read.body), read) : { isTagged: false, result: read };
    });
    return andThen(answer, ({ result, isTagged }) =>
      isTagged && matchesTag(call, result.headers.etag ?? '') ? unchanged(result) : result,
    );
  }

  #recall(scope: DeviceScope, call: Call, path: string, read: () => Promise<Answer>): Eventual<Answer> {
    let key = `${this.#hashOf(scope, call)} ${path}`;
    // With its length, no value can look like two.
    for (const name in call.params) key += ` ${call.params[name]?.length} ${call.params[name]}`;
    return scope.recall({
      key,
      read,
      textsOf: (answer) => (answer.isTagged ? [answer.result.body] : null),
    });
  }

  #resourcesOf(tables: readonly string[]): readonly string[] | null {
    let resources = this.#resources.get(tables);
    if (resources === undefined) {
      const names = tables.map((table) => this.#names.get(table) ?? null);
      resources = names.includes(null) ? null : names.filter((name) => name !== null);
      this.#resources.set(tables, resources);
    }
    return resources;
  }

  /** Returns whether none of these resources changed after a change. Other processes may have changed them, so the log itself is read. */
  async #isCurrent(scope: DeviceScope, after: number, resources: readonly string[]): Promise<boolean> {
    const last = await this.#changes.lastId(scope);
    // The database was replaced by an earlier copy, or there are many changes to look at.
    if (after > last || last - after > maxDistance) return false;
    const changes = await this.#changes.read(scope, { after, limit: 1, resources });
    return changes !== 'reset' && changes.length === 0;
  }

  #hashOf({ deviceId }: DeviceScope, call: Call): string {
    const { session } = call;
    const request = requestOf(call);
    const known = this.#hashes.get(session);
    if (known?.request === request) return known.hash;
    const { role, scopes } = session.rights;
    const parts = [this.#version, deviceId, role, scopes && [...scopes].sort(), request];
    const hash = createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 11);
    this.#hashes.set(session, { request, hash });
    return hash;
  }
}

/** Returns the highest number of the tags with this hash; null if there is none. */
function newestOf(sent: readonly string[], hash: string): number | null {
  const numbers = sent.flatMap((tag) => {
    const [, number, own] = tagPattern.exec(tag) ?? [];
    return own === hash ? [Number(number)] : [];
  });
  return numbers.length === 0 ? null : Math.max(...numbers);
}

/** Returns the parts of a request that decide its answer: its query and, for the links to other pages, the address of the server. */
function requestOf(call: Call): string {
  for (const _ in call.query) return JSON.stringify([call.host, call.isSecure, Object.entries(call.query).sort()]);
  return '';
}
