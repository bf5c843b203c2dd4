import { malformed, parseJson } from '../core/json-parser.ts';
import type { DocumentCheck } from '../programs/program-document.ts';
import { checkDocument } from '../programs/program-document.ts';

/** Checks a program from a file without settings and without a database. Ids are not checked. */
export function checkProgramFile(bytes: Buffer): DocumentCheck | 'malformed' {
  const value = parseJson(bytes);
  return value === malformed ? 'malformed' : checkDocument(value);
}
