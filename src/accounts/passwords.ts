import { createHash } from 'node:crypto';
import type { Failure } from '../core/errors.ts';
import { invalid } from '../core/errors.ts';
import { FairSemaphore } from '../core/fair-semaphore.ts';
import { labels } from '../core/field-labels.ts';
import { loadArgon2 } from '../core/native-module.ts';
import { labelOf } from '../engine/field-label.ts';
import { sayOfField } from '../engine/field-messages.ts';
import { maxPasswordLength } from './account-fields.ts';

const { hash, verify } = await loadArgon2();

/** The cost of one argon2id hash: memory in KiB, passes over it, and threads. */
export interface PasswordCost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/**
 * Measured on two cores of a server: 22 ms for one hash, 23 ms for two concurrent ones, at most 98 ms under load. A
 * Raspberry Pi needs several times that. [decision 26]
 */
const defaultCost: PasswordCost = { memoryCost: 32_768, timeCost: 3, parallelism: 1 };

/** A hash of this cost that no password matches, so that an unknown e-mail address takes as long as a wrong password. */
export const dummyHash = ({ memoryCost, timeCost, parallelism }: PasswordCost = defaultCost): string =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$7//b83f24JmcTvxSARiwvQ$Rsa0Uqo3mlOn44A/7S81Yrvp/c3w3giXPFZWy2f/omc`;

/** Hashes computed concurrently: each takes 32 MiB and a thread of the pool that file access needs too. */
const maxConcurrent = 2;
/** Requests that may wait for a hash. */
const maxQueued = 200;

/** Hashes and verifies passwords off the event loop. Networks of clients take turns, so that none makes the others wait. [ADR 31] */
export class Passwords {
  readonly #semaphore = new FairSemaphore(maxConcurrent, maxQueued);
  readonly #cost: PasswordCost;

  constructor(cost: PasswordCost = defaultCost) {
    this.#cost = cost;
  }

  /** Returns the hash to store. Throws 422 `password` beyond {@link maxPasswordLength}, 429 when the queue is full. */
  hash(password: string, network = ''): Promise<string> {
    if (password.length > maxPasswordLength) throw tooLong();
    return this.#semaphore.run(network, () => hash(password.normalize('NFC'), this.#cost));
  }

  /** Returns whether the password matches the hash; false for null (no such account), after the same time. Throws like {@link hash}. */
  verify(stored: string | null, password: string, network = ''): Promise<boolean> {
    if (password.length > maxPasswordLength) throw tooLong();
    // Keyboards write é as one character or as two. Before 0.3.0, passwords were stored as they were typed.
    const forms = new Set([password.normalize('NFC'), password, password.normalize('NFD')]);
    return this.#semaphore.run(network, async () => {
      for (const form of forms)
        if ((await verify(stored ?? dummyHash(this.#cost), form)) && stored !== null) return true;
      return false;
    });
  }
}

/** Returns a digest of a password hash, which links contain so that any new password ends them. */
export const passwordDigest = (passwordHash: string): string =>
  createHash('sha256').update(passwordHash).digest('base64url');

const tooLong = (): Failure =>
  invalid({ password: sayOfField.maxLength(labelOf('password', labels.password), maxPasswordLength) });
