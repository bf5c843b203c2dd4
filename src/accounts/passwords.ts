import { hash, verify } from '@node-rs/argon2';
import type { Failure } from '../core/errors.ts';
import { invalid } from '../core/errors.ts';
import { Semaphore } from '../core/semaphore.ts';

/**
 * argon2id (the library's default). Measured on two cores of a server: 22 ms for one hash, 23 ms for two at once, 98 ms at
 * worst while other work ran. A Raspberry Pi needs several times that. [decision 26]
 */
const cost = { memoryCost: 32_768, timeCost: 3, parallelism: 1 };

/** Nobody's password, hashed at the same cost: an unknown e-mail address takes as long as a wrong password. */
export const dummyHash =
  '$argon2id$v=19$m=32768,t=3,p=1$7//b83f24JmcTvxSARiwvQ$Rsa0Uqo3mlOn44A/7S81Yrvp/c3w3giXPFZWy2f/omc';

/** Hashes that run at once: each takes 32 MiB and a thread of the pool that files need too. */
const atOnce = 2;
/** Requests that wait for a hash; more are told to come again. */
const mayWait = 200;

/** Characters of a password at most. */
export const maxPasswordLength = 1024;

/** Hashes and checks passwords off the event loop, a few at a time. */
export class Passwords {
  readonly #line = new Semaphore(atOnce, mayWait);

  /** The hash to store. Throws 422 `password` beyond {@link maxPasswordLength}, 429 when too many wait. */
  hash(password: string): Promise<string> {
    if (password.length > maxPasswordLength) throw tooLong();
    return this.#line.run(() => hash(password, cost));
  }

  /** Whether the password belongs to the hash; null (no such account) takes as long and is false. Throws like {@link hash}. */
  verify(stored: string | null, password: string): Promise<boolean> {
    if (password.length > maxPasswordLength) throw tooLong();
    return this.#line.run(async () => (await verify(stored ?? dummyHash, password)) && stored !== null);
  }
}

const tooLong = (): Failure => invalid({ password: `Password is too long (at most ${maxPasswordLength} characters).` });
