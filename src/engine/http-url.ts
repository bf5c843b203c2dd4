import { sayOfField } from './field-messages.ts';
import type { Problem } from './kinds.ts';
import { modelProblem } from './kinds.ts';

/** The maximum length of a URL, which may be indexed, in bytes. PostgreSQL indexes at most 2,704. */
export const maxUrlBytes = 2000;

/** Returns the problem of a URL that cannot be fetched, or null. [rule G8] */
export function urlProblem(url: string, name: string): Problem | null {
  if (Buffer.byteLength(url) > maxUrlBytes) return modelProblem(name, sayOfField.maxBytes, maxUrlBytes);
  return /^https?:\/\/[^\s/?#]\S*$/i.test(url) && URL.canParse(url) ? null : modelProblem(name, sayOfField.webAddress);
}
