import { setTimeout as sleep } from 'node:timers/promises';
import { ignoringHeaders, type SignedInAccount, signUp, type TestServer } from '../support/accounts.ts';
import type { HttpResponse, RequestOptions } from '../support/http-client.ts';
import { at, isObject, type Json } from '../support/json.ts';
import type { AnnouncementSource } from './announcements.ts';
import { differences, familyOfName, normalize, shorten, unorderedDifferences, type Variable } from './comparison.ts';
import type { FormFile, Request, Scenario } from './scenario.ts';

/** A step whose response differs from the recording. */
export interface WrongStep {
  /** Index of the step, starting at 0 and including pauses. */
  readonly index: number;
  readonly request: string;
  readonly differences: readonly string[];
}

/** Resolves when a device has no due jobs. */
export type WhenJobsDone = (deviceId: number) => Promise<void>;

/** Replays a scenario against a server with new accounts and returns the steps that differ. `announcements` of live scenarios are compared, too. A recorded pause lasts until `whenJobsDone`, where it is given: a busy machine needs longer than the recorded one. Rejects if the server cannot be reached or refuses sign-ups. */
export async function runScenario(
  scenario: Scenario,
  server: TestServer,
  announcements: AnnouncementSource | null = null,
  whenJobsDone: WhenJobsDone | null = null,
): Promise<readonly WrongStep[]> {
  const replay = new Replay(server, scenario.live ? announcements : null);
  try {
    return await replaySteps(replay, scenario, whenJobsDone);
  } finally {
    await replay.end();
  }
}

async function replaySteps(
  replay: Replay,
  scenario: Scenario,
  whenJobsDone: WhenJobsDone | null,
): Promise<readonly WrongStep[]> {
  for (const name of scenario.users ?? ['a']) await replay.account(name);
  const wrong: WrongStep[] = [];
  for (const [index, step] of scenario.steps.entries()) {
    if ('wait' in step) {
      await sleep(step.wait);
      for (const deviceId of replay.deviceIds) await whenJobsDone?.(deviceId);
      continue;
    }
    const found = await replay.perform(step);
    const request = step.body === undefined ? step.req : `${step.req} ${shorten(step.body)}`;
    if (found.length > 0) wrong.push({ index, request, differences: found });
  }
  return wrong;
}

/** Formats the first `limit` differences below their requests. */
export function report(wrong: readonly WrongStep[], limit = 8): string {
  const total = wrong.reduce((sum, step) => sum + step.differences.length, 0);
  const lines = [`${total} differences`];
  let left = limit;
  for (const step of wrong) {
    if (left <= 0) break;
    lines.push(`step ${step.index} ${step.request}`);
    for (const difference of step.differences.slice(0, left)) lines.push(`    ${difference}`);
    left -= step.differences.length;
  }
  if (total > limit) lines.push(`and ${total - limit} more`);
  return lines.join('\n');
}

class UnknownVariable extends Error {}

class Replay {
  readonly #server: TestServer;
  readonly #announcements: AnnouncementSource | null;
  readonly #accounts = new Map<string, SignedInAccount>();
  readonly #variables = new Map<string, Variable>();

  constructor(server: TestServer, announcements: AnnouncementSource | null) {
    this.#server = server;
    this.#announcements = announcements;
  }

  /** The devices of all accounts so far. */
  get deviceIds(): readonly number[] {
    return [...this.#accounts.values()].map(({ deviceId }) => deviceId);
  }

  async account(name: string): Promise<SignedInAccount> {
    const known = this.#accounts.get(name);
    if (known) return known;
    const account = await signUp(this.#server, name);
    this.#accounts.set(name, account);
    await this.#announcements?.subscribe(account);
    for (const key of ['email', 'password', 'token', 'bot'] as const) {
      this.#variables.set(`${name}.${key}`, { value: account[key], family: 'users' });
    }
    this.#variables.set(`${name}.device`, { value: account.deviceId, family: 'device' });
    this.#variables.set(`${name}.user`, { value: account.userId, family: 'users' });
    return account;
  }

  async perform(step: Request): Promise<readonly string[]> {
    const space = step.req.indexOf(' ');
    try {
      const path = String(this.#fill(step.req.slice(space + 1)));
      const sending = await this.#sending(step);
      const answer = await this.#server.client.send(step.req.slice(0, space), path, sending);
      const exactTimes = new Set(step.exactTimes ? timesIn(sending) : []);
      return [...this.#compare(step, path, exactTimes, answer), ...(await this.#compareAnnounced(step, exactTimes))];
    } catch (error) {
      if (error instanceof UnknownVariable) return [error.message];
      throw error;
    }
  }

  async #sending(step: Request): Promise<RequestOptions> {
    const who = step.as === undefined ? 'a' : step.as;
    const isIgnored = this.#announcements && !Array.isArray(step.expect.announced);
    const headers: Record<string, string> = isIgnored ? { ...ignoringHeaders } : {};
    for (const [name, value] of Object.entries(step.headers ?? {})) headers[name] = String(this.#fill(value));
    const form = step.form && (await this.#form(step.form));
    return {
      headers: { ...headers, ...form?.headers },
      ...(form ? { raw: form.raw } : {}),
      ...(who === null ? {} : { token: (await this.account(who)).token }),
      ...(step.raw === undefined ? {} : { raw: String(this.#fill(step.raw)) }),
      ...(step.body === undefined ? {} : { body: this.#fill(step.body) }),
    };
  }

  async #form(form: NonNullable<Request['form']>): Promise<{ headers: Record<string, string>; raw: Buffer }> {
    const data = new FormData();
    for (const [name, value] of Object.entries(form)) {
      if (typeof value === 'string') data.set(name, String(this.#fill(value)));
      else data.set(name, fileOf(value), value.name);
    }
    const encoded = new Response(data);
    return {
      headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
      raw: Buffer.from(await encoded.arrayBuffer()),
    };
  }

  #compare(step: Request, path: string, exactTimes: ReadonlySet<string>, answer: HttpResponse): string[] {
    const family = path.replace(/^\/+(api\/+)?/, '').split(/[/?.]/)[0] ?? '';
    const found: string[] = [];
    if (answer.status !== step.expect.status) {
      found.push(`status: expected ${step.expect.status}, received ${answer.status}`);
    }
    const decoded = decode(answer);
    if (step.save && answer.status < 400) this.#save(step.save, family, decoded);
    const { status } = answer;
    const any = step.any ?? [];
    const body = any.includes('$')
      ? '<any>'
      : step.text
        ? plain(answer, step.expect.body)
        : decoded === undefined
          ? kindOf(answer)
          : normalize(decoded, { variables: this.#variables, family, status, any, exactTimes });
    const compare = step.unordered ? unorderedDifferences : differences;
    found.push(...compare(step.expect.body, body, family));
    for (const name of step.head ?? []) {
      const value = answer.headers[name];
      found.push(...differences(step.expect.headers?.[name] ?? null, value ?? null, null, `header ${name}`));
    }
    return found;
  }

  /** Returns the announcements since the last call, in the format of the recordings. */
  async #announced(wanted: readonly Json[], exactTimes: ReadonlySet<string> = new Set()): Promise<Json[]> {
    const announced: Json[] = [];
    for (const { name, deviceId, bot } of this.#accounts.values()) {
      const prefix = `bot/{{${name}.bot}}`;
      const expected = wanted.filter((message) => String(at(message, 'topic')).startsWith(`${prefix}/`)).length;
      for (const { channel, message } of (await this.#announcements?.take(deviceId, expected)) ?? []) {
        const [kind, resource = ''] = channel.split('/');
        const family = familyOfName.get(resource) ?? (kind === 'sync' ? resource : (kind ?? bot));
        const place = { variables: this.#variables, family, status: 200, any: [], exactTimes };
        const topic = kind === 'sync' ? `${prefix}/sync/${resource}/<id>` : `${prefix}/${channel}`;
        announced.push({ topic, body: normalize(message, place) });
      }
    }
    return announced;
  }

  async #compareAnnounced({ req, expect }: Request, exactTimes: ReadonlySet<string>): Promise<string[]> {
    if (!this.#announcements || !Array.isArray(expect.announced)) return [];
    // Only the recorded server announces rows that a first read creates. [decision 35]
    const recorded = req.startsWith('GET ') ? [] : expect.announced;
    const { receivesAllChannels } = this.#announcements;
    const wanted = recorded.filter((message) => receivesAllChannels || /\/sync\//.test(String(at(message, 'topic'))));
    return unorderedDifferences(wanted, await this.#announced(wanted, exactTimes), null, 'announced');
  }

  /** Unsubscribes from all accounts. */
  async end(): Promise<void> {
    await this.#announcements?.unsubscribe(this.deviceIds);
  }

  #save(wanted: Readonly<Record<string, string>>, family: string, reply: Json | undefined): void {
    for (const [name, path] of Object.entries(wanted)) {
      const value = reply === undefined ? undefined : at(reply, path);
      if (value !== undefined) this.#variables.set(name, { value, family });
    }
  }

  /** Replaces `{{name}}` everywhere; a string that consists of it becomes the variable's value. */
  #fill(value: Json): Json {
    if (typeof value === 'string') {
      const whole = /^\{\{([\w.]+)\}\}$/.exec(value)?.[1];
      if (whole !== undefined) return this.#look(whole);
      return value.replace(/\{\{([\w.]+)\}\}/g, (_, name: string) => String(this.#look(name)));
    }
    if (Array.isArray(value)) return value.map((each) => this.#fill(each));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [String(this.#fill(key)), this.#fill(each)]));
  }

  #look(name: string): Json {
    const variable = this.#variables.get(name);
    if (!variable) throw new UnknownVariable(`no earlier response has {{${name}}}`);
    return variable.value;
  }
}

function fileOf({ base64, type, size = 0 }: FormFile): Blob {
  const content = Buffer.from(base64, 'base64');
  return new Blob([content, Buffer.alloc(Math.max(0, size - content.length))], { type });
}

/** A plain text body; `<text>` if any text is accepted. */
const plain = ({ text }: HttpResponse, wanted: Json): string => (wanted === '<text>' && text !== '' ? wanted : text);

/** Parses a JSON body; undefined if it is empty or something else. */
function decode(answer: HttpResponse): Json | undefined {
  const looksLikeJson = /json/.test(answer.headers['content-type'] ?? '') || /^[[{"]/.test(answer.text);
  if (answer.text === '' || !looksLikeJson) return undefined;
  try {
    return answer.json;
  } catch {
    return undefined;
  }
}

/** The placeholder of a body that is not JSON. */
function kindOf(answer: HttpResponse): string {
  if (answer.bytes.length === 0) return '';
  const type = (answer.headers['content-type'] ?? '').split(';')[0];
  if (type === 'text/html') return '<html>';
  return type?.includes('json') ? '<unparsable>' : `<${type || 'untyped'}>`;
}

/** Strings of the request that start like a date. */
function timesIn(sending: RequestOptions): readonly string[] {
  const text = sending.raw === undefined ? JSON.stringify(sending.body ?? null) : String(sending.raw);
  return [...text.matchAll(/"(\d{4}-[^"]+)"/g)].flatMap((match) => match[1] ?? []);
}
