/** Maximum number of ids in an address. */
const maxIds = 5000;
/** Maximum length of the ids in an address, in characters. */
export const maxIdsLength = 4000;

/** Parses selected ids: numbers and ranges such as `3-7,12`. Invalid parts are left out. */
export function idsOf(text: string | undefined): readonly number[] {
  const ids = new Set<number>();
  for (const part of (text ?? '').slice(0, maxIdsLength).split(',')) {
    const [, first, last = first] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(part) ?? [];
    if (first === undefined) continue;
    for (let id = Number(first); id <= Number(last) && ids.size < maxIds; id++) ids.add(id);
  }
  return [...ids];
}

/** The inverse of {@link idsOf}; undefined for no ids. */
export function textOfIds(ids: Iterable<number>): string | undefined {
  const ranges: [number, number][] = [];
  for (const id of [...ids].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && id <= last[1] + 1) last[1] = id;
    else ranges.push([id, id]);
  }
  return ranges.length === 0
    ? undefined
    : ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}
