import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../support/json.ts';

/** A pause between requests, in milliseconds. */
export interface Pause {
  readonly wait: number;
}

/** A file in a form. */
export interface FormFile {
  readonly base64: string;
  readonly name: string;
  readonly type: string;
  /** Filled up with zeros to so many bytes. */
  readonly size?: number;
}

/** One recorded request and the reply that is wanted. Strings everywhere may hold `{{variable}}`. */
export interface Request {
  /** Method and raw path with query. */
  readonly req: string;
  /** Whose token is sent: `a` unless said; null for none. Accounts sign up when first named. */
  readonly as?: string | null;
  /** Sent as JSON. */
  readonly body?: Json;
  /** Sent as it is. */
  readonly raw?: string;
  /** Sent as a multipart form. */
  readonly form?: Readonly<Record<string, string | FormFile>>;
  /** Beside or instead of the usual headers; lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Variable → dotted path in the reply. */
  readonly save?: Readonly<Record<string, string>>;
  /** Places in the reply that do not count. */
  readonly any?: readonly string[];
  /** The reply is a list without a promised order. */
  readonly unordered?: boolean;
  /** The body is plain text, which counts as it is. */
  readonly text?: boolean;
  /** Reply headers that count. */
  readonly head?: readonly string[];
  /** Times that were sent count as they are. */
  readonly exactTimes?: boolean;
  /** The rule behind a wanted reply that the recorded server did not give. */
  readonly why?: string;
  readonly expect: {
    readonly status: number;
    readonly body: Json;
    readonly headers?: Readonly<Record<string, Json>>;
    /** Messages on the broker, or `<any>`; compared where a listener is attached. */
    readonly announced?: Json;
  };
}

export type Step = Pause | Request;

/** Requests that belong together and start with fresh accounts. */
export interface Scenario {
  readonly name: string;
  /** Accounts to sign up at the beginning; `a` unless said. */
  readonly users?: readonly string[];
  /** Announcements were recorded too. */
  readonly live?: boolean;
  readonly steps: readonly Step[];
}

/** The recordings in this folder, without their ending. */
export const recordings = [
  'accounts',
  'broker',
  'celery',
  'device',
  'edge',
  'folders',
  'garden-plain',
  'lifecycle',
  'live',
  'photos',
  'photos-logs',
  'points',
  'regimens-events',
  'saved-gardens',
  'sequences',
] as const;

export type Recording = (typeof recordings)[number];

const scenarioKeys = new Set(['name', 'users', 'live', 'steps']);
const stepKeys = new Set(
  'req as body raw form headers save any unordered head exactTimes text why expect wait'.split(' '),
);

/** Reads a recording. Throws when it asks for something that the runner would pass over in silence. */
export function scenariosOf(recording: Recording): readonly Scenario[] {
  const scenarios = JSON.parse(readFileSync(join(import.meta.dirname, `${recording}.json`), 'utf8')) as Scenario[];
  for (const scenario of scenarios) {
    const keys = Object.keys(scenario).filter((key) => !scenarioKeys.has(key));
    const unknown = [
      ...keys,
      ...scenario.steps.flatMap((step) => Object.keys(step).filter((key) => !stepKeys.has(key))),
    ];
    if (unknown.length > 0) throw new Error(`${recording}: ${scenario.name} uses ${unknown.join(', ')}, unknown here`);
  }
  return scenarios;
}
