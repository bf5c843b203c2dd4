import { resourceNames as shared } from '../../../src/core/resource-names.ts';
import { localTexts } from '../ui/language.ts';
import { capital, wordsOf } from '../ui/letters.ts';
import { collectionNames } from './generated/resources.ts';
import { dataText } from './text.ts';

/** Names of the resources of the API, in the singular and the plural. */
const resourceNames = localTexts(shared);

/** Returns a count of records of a resource as text: `3 programs`; `at least 3 programs` if there may be more. */
export function countOf(resource: string, count: number, hasMore = false): string {
  const [one, many] = resourceNames()[resource] ?? [resource, resource];
  if (count === 1 && !hasMore) return one;
  const counted = `${count} ${count === 1 ? one : many}`;
  return hasMore ? dataText().atLeast(counted) : counted;
}

/** Returns the name of a resource as a title: `Programs`. */
export const resourceTitle = (resource: string, form: 'one' | 'many' = 'many'): string => {
  const [one, many] = resourceNames()[resource] ?? [wordsOf(resource), wordsOf(resource)];
  return capital(form === 'one' ? one : many);
};

/** The same of a list of the API, such as `farm_events`. */
export const listTitle = (list: string, form: 'one' | 'many' = 'many'): string =>
  resourceTitle(Object.entries(collectionNames).find(([, name]) => name === list)?.[0] ?? list, form);
