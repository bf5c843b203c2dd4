import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../support/json.ts';

/** A pause between requests, in milliseconds. */
export interface Pause {
  readonly wait: number;
}

/** A file in a multipart form. */
export interface FormFile {
  readonly base64: string;
  readonly name: string;
  readonly type: string;
  /** The file is padded with zeros to this many bytes. */
  readonly size?: number;
}

/** A recorded request and the expected response. Any string may contain `{{variable}}`. */
export interface Request {
  /** The method, and the raw path with its query. */
  readonly req: string;
  /** The account whose token is sent; `a` by default, null for none. Accounts sign up when they are first used. */
  readonly as?: string | null;
  /** Sent as JSON. */
  readonly body?: Json;
  /** Sent unchanged. */
  readonly raw?: string;
  /** Sent as a multipart form. */
  readonly form?: Readonly<Record<string, string | FormFile>>;
  /** Additional or overriding headers, with lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Variables and their dotted paths in the response. */
  readonly save?: Readonly<Record<string, string>>;
  /** Paths of the response that are ignored. */
  readonly any?: readonly string[];
  /** The response is a list in any order. */
  readonly unordered?: boolean;
  /** The body is plain text and compared exactly. */
  readonly text?: boolean;
  /** Response headers that are compared. */
  readonly head?: readonly string[];
  /** Times of the request are compared exactly. */
  readonly exactTimes?: boolean;
  /** The rule behind an expected response that differs from the recorded server's. */
  readonly why?: string;
  readonly expect: {
    readonly status: number;
    readonly body: Json;
    readonly headers?: Readonly<Record<string, Json>>;
    /** Messages of the broker, or `<any>`; compared if a listener is attached. */
    readonly announced?: Json;
  };
}

export type Step = Pause | Request;

/** A series of requests that starts with new accounts. */
export interface Scenario {
  readonly name: string;
  /** Accounts that sign up at the start; `a` by default. */
  readonly users?: readonly string[];
  /** Whether announcements were recorded, too. */
  readonly live?: boolean;
  readonly steps: readonly Step[];
}

/** The recordings in this folder, without their extension. */
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

/** Reads a recording. Throws if it contains keys that the runner does not support. */
export function scenariosOf(recording: Recording): readonly Scenario[] {
  const scenarios = JSON.parse(readFileSync(join(import.meta.dirname, `${recording}.json`), 'utf8')) as Scenario[];
  for (const scenario of scenarios) {
    const keys = Object.keys(scenario).filter((key) => !scenarioKeys.has(key));
    const unknown = [
      ...keys,
      ...scenario.steps.flatMap((step) => Object.keys(step).filter((key) => !stepKeys.has(key))),
    ];
    if (unknown.length > 0) throw new Error(`${recording}: ${scenario.name} has unknown keys: ${unknown.join(', ')}`);
  }
  return scenarios;
}
