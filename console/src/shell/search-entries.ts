import type { NavigateOptions } from '@tanstack/react-router';
import type { Icon } from '../ui/icons.tsx';
import { plain } from '../ui/letters.ts';

/** A location in the console, as the target of a link. */
export type Place = Pick<NavigateOptions, 'to' | 'params' | 'search'>;

/** A result of the search: it opens a page, or runs a command. */
export interface SearchEntry {
  /** Unlike all other ids. */
  readonly id: string;
  readonly label: string;
  /** Its kind: "Plant". */
  readonly kind: string;
  /** Distinguishes it from others of the same name. */
  readonly detail?: string | undefined;
  readonly icon: Icon;
  readonly target: Place | (() => void);
}

/** Maximum number of entries that are listed; typing more finds the others. */
const maxListed = 50;

/** The rank of a match, lower is better: the label begins with the input, a word of it does, it contains it, or only the kind does. */
function rank(label: string, typed: string): number {
  if (label.startsWith(typed)) return 0;
  if (label.includes(` ${typed}`)) return 1;
  return label.includes(typed) ? 2 : 3;
}

/** Returns the entries that contain all typed words in label, kind or detail, the best first. */
export function matchingEntries(entries: readonly SearchEntry[], typed: string): readonly SearchEntry[] {
  const wanted = plain(typed.trim());
  const words = wanted.split(/\s+/);
  return entries
    .flatMap((entry) => {
      const { label, kind, detail = '' } = entry;
      const own = plain(label);
      const all = `${own} ${plain(kind)} ${plain(detail)}`;
      return words.every((word) => all.includes(word)) ? [{ entry, rank: rank(own, wanted) }] : [];
    })
    .sort((one, other) => one.rank - other.rank)
    .slice(0, maxListed)
    .map(({ entry }) => entry);
}
