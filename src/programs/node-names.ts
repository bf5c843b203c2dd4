import { Message } from '../core/message.ts';
import { sayOfValue } from './check-messages.ts';
import { argInWords, nameInWords } from './node-words.ts';
import { printableText } from './printable-text.ts';

/** Returns the name of a kind for messages; the internal roots of regimens and farm events are named after their owner. */
export function kindName(kind: string): Message {
  const name = printableText(kind.replace(/^internal_/, ''));
  return new Message((reader) => (reader === 'api' ? name : nameInWords(reader, name)));
}

export const argName = (arg: string): Message =>
  new Message((reader) => (reader === 'api' ? arg : argInWords(reader, arg)));

/** Kinds that have another name as a value. */
const nouns = new Map([
  ['nothing', sayOfValue.nothing],
  ['tool', sayOfValue.tool],
  ['point', sayOfValue.point],
  ['sequence', sayOfValue.sequence],
]);

/** Returns the name of a value: a kind, or a value of a list. */
export const valueName = (value: string): string | Message =>
  nouns.get(value) ?? (/^[a-z_]+$/i.test(value) ? kindName(value) : value);
