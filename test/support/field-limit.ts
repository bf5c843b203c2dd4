/**
 * The values that a field accepts, written by hand; declarations and the running server are compared with it. By default a
 * field is optional, null counts as not sent, and there is no default value.
 */
export interface FieldLimit {
  readonly required?: true;
  /** Null may be sent and is stored. */
  readonly nullable?: true;
  readonly default?: unknown;
  /** Set by the server only. */
  readonly readOnly?: true;
  /** Accepted in updates only. */
  readonly updateOnly?: true;
  readonly unique?: true;
  /** The maximum number of characters, reported under `error`. */
  readonly max?: number;
  readonly range?: readonly [low: number, high: number];
  /** Numbers must be less, reported under `error`. */
  readonly below?: number;
  readonly choices?: readonly (string | number)[];
  /** The key under which values out of range and unknown choices are reported; the field's by default. */
  readonly key?: string;
}
