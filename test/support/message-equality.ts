import { expect } from 'vitest';
import { Message } from '../../src/core/message.ts';
import { Problem } from '../../src/engine/kinds.ts';

const isMessageOrText = (value: unknown): boolean => typeof value === 'string' || value instanceof Message;

/** Messages are equal to the sentence that clients of the API get, as do problems with equal failures. */
function areEqual(one: unknown, other: unknown): boolean | undefined {
  if ((one instanceof Message || other instanceof Message) && isMessageOrText(one) && isMessageOrText(other))
    return String(one) === String(other);
  return one instanceof Problem && other instanceof Problem
    ? JSON.stringify([one.level, one.failure]) === JSON.stringify([other.level, other.failure])
    : undefined;
}

expect.addEqualityTesters([areEqual]);
