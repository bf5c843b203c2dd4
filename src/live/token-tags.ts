import type { TokenReference } from '../engine/token-reference.ts';

/** RabbitMQ never frees a tag, and has room for a million: ids are written in groups of digits, of which there are few. */
const base = 1000;

/** The tag of a sign-in of a robot that the server does not run. */
export const robotTag = 'robot';

const form = /^(session|personal)_(\d{1,2})_(\d{1,3})$/;

/** Returns the tags with which RabbitMQ asks about topics, so that each answer follows from the token's present state. */
export function tagsOfToken({ kind, id }: TokenReference): readonly string[] {
  const tags: string[] = [];
  for (let rest = id; rest > 0; rest = Math.floor(rest / base)) tags.push(`${kind}_${tags.length}_${rest % base}`);
  return tags;
}

/** Returns the token of which {@link tagsOfToken} made some of these tags, separated by spaces; null: none, as for connections of earlier versions, or an id that cannot exist. */
export function tokenOfTags(tags: string): TokenReference | null {
  const groups = tags.split(' ').flatMap((tag) => {
    const [, kind, position, digits] = form.exec(tag) ?? [];
    return kind === undefined ? [] : [{ kind, value: Number(digits) * base ** Number(position) }];
  });
  const [first] = groups;
  if (!first) return null;
  const id = groups.reduce((sum, { value }) => sum + value, 0);
  return Number.isSafeInteger(id) ? { kind: first.kind === 'personal' ? 'personal' : 'session', id } : null;
}
