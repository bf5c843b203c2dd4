import type { Json } from '../../support/json.ts';

/** Actions of a pointer or of keys, in the format that WebDriver and WebDriver BiDi share. */
export type Action = Readonly<Record<string, unknown>>;

/** A browser with one page, driven by its own protocol. */
export interface Driver {
  /** The name and version of the browser. */
  readonly name: string;
  open(address: string): Promise<void>;
  /** Returns the value of an expression in the page, and waits for it if it is a promise. */
  evaluate(expression: string): Promise<Json>;
  /** Performs actions in the page. */
  perform(actions: readonly Action[]): Promise<void>;
  /** Evaluates in the only frame of the page from now on, until another page is opened. */
  enterFrame(): Promise<void>;
  close(): Promise<void>;
}
