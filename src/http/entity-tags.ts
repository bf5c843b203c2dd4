import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ChangeLog } from '../db/change-log.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { AnyResource } from '../engine/resource.ts';
import type { Call, HandlerResult, Session } from '../engine/route.ts';
import { jsonContentType, Reply } from '../engine/route.ts';

/** Devices whose last change is in memory. */
const cacheSize = 10_000;
/** A tag that is further behind the newest change is not looked up: ids are shared by all devices of a server. */
const maxDistance = 20_000;

/** `W/"<the last change>-<hash of what else decides the answer>"`. */
const tagPattern = /^(?:W\/)?"(\d{1,15})-([\w-]{11})"$/;

/**
 * The entity tags of answers that follow from the records of a garden, the request and the rights of the caller. A tag
 * contains the number of the garden's last change; it is current as long as no record that is in the answer changed since. [ADR 65]
 */
export class EntityTags {
  readonly #changes: Pick<ChangeLog, 'lastId' | 'read'>;
  /** Announced names by table. */
  readonly #names: ReadonlyMap<string, string | null>;
  readonly #version: string;
  readonly #last = new LRUCache<number, number>({ max: cacheSize });
  /** The last hash of each session: a client repeats its requests. */
  readonly #hashes = new WeakMap<Session, { readonly request: string; readonly hash: string }>();
  /** Counts commits, so that an id which was read before one is not kept. */
  #commits = 0;

  /** `version`: of the program, which decides the form of answers. */
  constructor(
    changes: Pick<ChangeLog, 'lastId' | 'read' | 'onCommit'>,
    resources: readonly AnyResource[],
    version: string,
  ) {
    this.#changes = changes;
    this.#names = new Map(resources.map(({ name, options }) => [name, options.announced]));
    this.#version = version;
    changes.onCommit((deviceId) => {
      this.#commits++;
      this.#last.delete(deviceId);
    });
  }

  /** Returns 304 if the client's copy is current, or else the answer with its tag. `tables`: those from which the answer follows. */
  async answer(
    scope: DeviceScope,
    call: Call,
    tables: readonly string[],
    handle: () => Promise<HandlerResult>,
  ): Promise<HandlerResult> {
    const names = tables.map((table) => this.#names.get(table));
    const resources = names.filter((name) => typeof name === 'string');
    if (resources.length < names.length) return handle();
    const current = await this.#current(scope, call, resources);
    if (current !== null) return new Reply('', jsonContentType, 304, { etag: current });
    // Before the records are read: a change in between must not be in the tag.
    const etag = await this.#next(scope, call);
    const result = await handle();
    if (!(result instanceof Reply) || result.status !== 200) return result;
    return new Reply(result.body, result.type, 200, { ...result.headers, etag });
  }

  /** Returns the tag of the answer that is read next; an earlier number than the last one is harmless. */
  async #next(scope: DeviceScope, call: Call): Promise<string> {
    return `W/"${await this.#lastChange(scope)}-${this.#hashOf(scope, call)}"`;
  }

  /** Returns the tag in `If-None-Match` that is current; null if none is. */
  async #current(scope: DeviceScope, call: Call, resources: readonly string[]): Promise<string | null> {
    const sent = call.headers['if-none-match'];
    if (typeof sent !== 'string') return null;
    const [first, ...others] = sent.split(',');
    const [, number = '', hash] = tagPattern.exec(first?.trim() ?? '') ?? [];
    if (others.length > 0 || hash !== this.#hashOf(scope, call)) return null;
    const after = Number(number);
    // Other processes may have changed it.
    const last = await this.#changes.lastId(scope);
    // The database was replaced by an earlier copy, or there are many changes to look at.
    if (after > last || last - after > maxDistance) return null;
    const changes = await this.#changes.read(scope, { after, limit: 1, resources });
    return changes !== 'reset' && changes.length === 0 ? `W/"${number}-${hash}"` : null;
  }

  async #lastChange(scope: DeviceScope): Promise<number> {
    const { deviceId } = scope;
    const known = this.#last.get(deviceId);
    if (known !== undefined) return known;
    const commits = this.#commits;
    const last = await this.#changes.lastId(scope);
    if (commits === this.#commits) this.#last.set(deviceId, last);
    return last;
  }

  #hashOf({ deviceId }: DeviceScope, { query, session, host, isSecure }: Call): string {
    const request = JSON.stringify([host, isSecure, Object.entries(query).sort()]);
    const known = this.#hashes.get(session);
    if (known?.request === request) return known.hash;
    const { role, scopes } = session.rights;
    const parts = [this.#version, deviceId, role, scopes && [...scopes].sort(), request];
    const hash = createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 11);
    this.#hashes.set(session, { request, hash });
    return hash;
  }
}
