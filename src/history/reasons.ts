import type { Failure, FieldFailure } from '../core/errors.ts';

const words = (failure: FieldFailure | null): readonly string[] => {
  if (failure === null) return [];
  return typeof failure === 'string' ? [failure] : Object.values(failure).flatMap(words);
};

/** Returns why something failed, in sentences. */
export const toReason = ({ message, fields }: Failure): string => (fields ? words(fields).join(' ') : message);
