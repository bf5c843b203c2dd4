import type { FieldFailures } from '../core/errors.ts';
import { invalid } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { Message } from '../core/message.ts';
import type { Reply } from '../engine/route.ts';
import { say } from './messages.ts';

/** Maximum length of a text that replaces a reference, in characters: a batch may contain many references. */
const maxTextLength = 1000;

/** `$1.id` in a path. */
const pathReference = /\$(\d{1,3}(?:\.\w{1,100}){1,10})/g;
const bodyReference = /^\d{1,3}(?:\.\w{1,100}){1,10}$/;

type Scalar = string | number | boolean | null;

const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** The responses to the earlier requests of a batch, to which later ones may refer: `1.id` is the field `id` of the first response, `2.0.id` the one of the first record of the second one. */
export class BatchAnswers {
  readonly #texts: string[] = [];
  /** The bodies to which references were resolved. */
  readonly #bodies = new Map<number, unknown>();
  /** The responses as elements of a JSON array. */
  readonly #elements: string[] = [];
  /** The size of all bodies, in bytes. */
  size = 0;

  add({ status, text }: Reply): void {
    this.#texts.push(text);
    this.#elements.push(`{"status":${status},"body":${text === '' ? 'null' : text}}`);
    this.size += Buffer.byteLength(text);
  }

  /** All responses as JSON. */
  toJson(): string {
    return `[${this.#elements.join(',')}]`;
  }

  /** Returns values of a path or query with references replaced. Throws 422. */
  inPath(values: Readonly<Record<string, string>>): Record<string, string> {
    const replace = (_: string, reference: string): string => {
      const value = this.#find(reference, (message) => ({ path: message }));
      return String(value);
    };
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, value.replace(pathReference, replace)]),
    );
  }

  /** Returns a body in which values `{"$ref": "1.id"}` are replaced. Throws 422. */
  inBody(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.inBody(each));
    if (!isObject(value)) return value;
    const keys = Object.keys(value);
    if (keys.length === 1 && keys[0] === '$ref') return this.#referred(value.$ref);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.inBody(each)]));
  }

  #referred(reference: unknown): Scalar {
    const fail = (message: Message): FieldFailures => ({ $ref: message });
    if (typeof reference !== 'string' || !bodyReference.test(reference)) throw invalid(fail(say.reference));
    return this.#find(reference, fail);
  }

  #find(reference: string, failure: (message: Message) => FieldFailures): Scalar {
    const [part = '', ...names] = reference.split('.');
    const text = this.#texts[Number(part) - 1];
    if (text === undefined) throw invalid(failure(say.noEarlierPart(reference)));
    const index = Number(part) - 1;
    if (!this.#bodies.has(index)) this.#bodies.set(index, text === '' ? null : JSON.parse(text));
    let value = this.#bodies.get(index);
    for (const name of names)
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? Reflect.get(value, name)
          : undefined;
    if (!isScalar(value) || (typeof value === 'string' && value.length > maxTextLength))
      throw invalid(failure(say.notScalar(reference, maxTextLength)));
    return value;
  }
}
