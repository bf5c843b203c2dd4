import { capitalized } from '../core/capital-letters.ts';
import type { Words } from '../core/languages.ts';
import { Message } from '../core/message.ts';

/** Returns a field's name in title case: `water_curve_id` → `Water Curve ID`. */
export const titleize = (name: string): string =>
  name
    .split('_')
    .map((word) => (word === 'id' ? 'ID' : capitalized(word)))
    .join(' ');

/** Returns the name of a field in messages: for people its title, or the words of its name. */
export const labelOf = (name: string, title?: Words | null): Message =>
  new Message((reader) =>
    reader === 'api' ? titleize(name) : (title?.[reader] ?? capitalized(name.replaceAll('_', ' '))),
  );
