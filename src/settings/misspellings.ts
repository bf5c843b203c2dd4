/** Shorter names resemble variables of other programs (PORT, PATH; AI_URL, API_URL). */
const minLength = 7;

/** From this length on, a misspelling may have two edits instead of one. */
const longLength = 9;

/** The edit distance of two words (deletions, insertions, substitutions, transpositions), at most 3. */
export function distance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 2) return 3;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next.push(
        Math.min(
          at(last, column) + 1,
          at(next, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwap ? at(beforeLast, column - 2) + 1 : 3,
        ),
      );
    }
    beforeLast = last;
    last = next;
  }
  return Math.min(at(last, to.length), 3);
}

const at = (row: readonly number[], column: number): number => row[column] ?? 3;

/** Returns the known name that a word is closest to, in any case and with dashes; null if none is close. */
export function nearestName(word: string, known: readonly string[]): string | null {
  const [near] = known
    .map((meant) => ({ meant, edits: distance(word.toUpperCase().replaceAll('-', '_'), meant) }))
    .filter(({ meant, edits }) => edits <= (meant.length >= longLength ? 2 : 1))
    .sort((a, b) => a.edits - b.edits);
  return near?.meant ?? null;
}

/** Returns the variables that look like misspelled known names, each with the nearest one. */
export function misspellings(
  variables: readonly string[],
  known: readonly string[],
): readonly { readonly name: string; readonly meant: string }[] {
  const long = known.filter((meant) => meant.length >= minLength);
  return variables.flatMap((name) => {
    const meant = known.includes(name) ? null : nearestName(name, long);
    return meant === null ? [] : [{ name, meant }];
  });
}
