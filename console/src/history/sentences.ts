import type { Entry } from './entries.ts';
import type { RequestChanges } from './requests.ts';
import { countOf } from './resource-names.ts';
import { historyText } from './text.ts';

/** Names that a sentence lists. */
const maxNames = 4;

/** Who made a change, in words. */
export function actorName({ kind, name, via }: Entry['actor']): string {
  const text = historyText();
  const who = kind === 'user' ? (name ?? text.kinds.user) : text.kinds[kind];
  return via === null ? who : text.via(who, via);
}

/** What was changed, in words: `plant or point “Tomato”`. */
export function recordName({ resource, record_id, name }: Entry): string {
  const text = historyText();
  const what = countOf(resource, 1);
  return name === null ? text.numbered(what, record_id) : text.named(what, name);
}

/** What a change did, in words: `Deleted: tool “Trowel”`. */
export const entrySentence = (entry: Entry): string => {
  const text = historyText();
  return text.sentence(text.actions[entry.action], recordName(entry));
};

/** What a request did, in words: `Deleted: 3 tools (Trowel, Seeder, Weeder)`. */
export function requestSentence({ entries }: RequestChanges<Entry>): string {
  const text = historyText();
  const [first] = entries;
  if (entries.length === 1) return entrySentence(first);
  const isSame = (key: 'action' | 'resource'): boolean => entries.every((entry) => entry[key] === first[key]);
  const names = entries.flatMap(({ name }) => name ?? []);
  const what = isSame('resource') ? countOf(first.resource, entries.length) : text.records(entries.length);
  const action = text.actions[isSame('action') ? first.action : 'mixed'];
  if (names.length === 0) return text.sentence(action, what);
  const listed = text.some(names.slice(0, maxNames).join(', '), names.length > maxNames);
  return `${text.sentence(action, what)} (${listed})`;
}
