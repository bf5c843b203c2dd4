import { countOf } from '../data/resource-names.ts';
import { wordsOf } from '../ui/letters.ts';
import type { Entry } from './entries.ts';
import type { RequestChanges } from './requests.ts';
import { historyText } from './text.ts';

/** Resources of which a garden has one record. */
const singles = new Set(['Device', 'FbosConfig', 'FirmwareConfig']);

/** Names that a sentence lists. */
const maxNames = 4;

/** Returns the author of a change as text. */
export function actorName({ kind, name, via }: Entry['actor']): string {
  const text = historyText();
  const who = kind === 'user' ? (name ?? text.kinds.user) : text.kinds[kind];
  return via === null
    ? who
    : text.via(
        who,
        kind === 'job' ? ((text.jobs as Readonly<Record<string, string>>)[via] ?? wordsOf(via).toLowerCase()) : via,
      );
}

/** Returns the changed record as text: `plant or point “Tomato”`. Events have the name of the program that they run. */
function recordName({ resource, record_id, name }: Entry): string {
  const text = historyText();
  const what = countOf(resource, 1);
  if (name !== null) return resource === 'FarmEvent' ? text.scheduleOf(name) : text.named(what, name);
  return singles.has(resource) ? what : text.numbered(what, record_id);
}

/** Returns a change as text: `Deleted: tool “Trowel”`. */
export const entrySentence = (entry: Entry): string => {
  const text = historyText();
  return text.sentence(text.actions[entry.action], recordName(entry));
};

/** The action that all of these entries share. */
export const actionOf = ([first, ...others]: RequestChanges<Entry>['entries']): Entry['action'] | 'mixed' =>
  others.every(({ action }) => action === first.action) ? first.action : 'mixed';

/** Returns the changes of a request as text: `Deleted: 3 tools (Trowel, Seeder, Weeder)`. `hasMore`: it may have changed more than is listed. */
export function requestSentence({ entries }: RequestChanges<Entry>, hasMore: boolean): string {
  const text = historyText();
  const [first] = entries;
  if (entries.length === 1 && !hasMore) return entrySentence(first);
  const names = [...new Set(entries.flatMap(({ name }) => name ?? []))];
  const what = entries.every(({ resource }) => resource === first.resource)
    ? countOf(first.resource, entries.length, hasMore)
    : text.records(entries.length, hasMore);
  const action = text.actions[actionOf(entries)];
  if (names.length === 0) return text.sentence(action, what);
  const listed = text.some(names.slice(0, maxNames).join(', '), hasMore || names.length > maxNames);
  return `${text.sentence(action, what)} (${listed})`;
}
