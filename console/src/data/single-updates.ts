import type { QueryClient } from '@tanstack/react-query';
import { reread } from './reread.ts';

/** The beginning of the keys of single records, for all of them. */
export const singlesKey = ['single'] as const;
/** Returns the key of a single record, by the resource that announces its changes. */
export const singleKey = (resource: string) => [...singlesKey, resource] as const;

/** Changes of single records, which are shown before the server has answered. */
export class SingleUpdates {
  readonly #client: QueryClient;
  /** Number of updates without an answer: responses in between may lack them. */
  #unanswered = 0;
  /** Whether records are to be read again after the last answer. */
  #isOutdated = false;

  constructor(client: QueryClient) {
    this.#client = client;
  }

  /** Reads a record that has changed again: now, or after the last answer. */
  readonly reread = (resource: string): void => {
    if (this.#unanswered > 0) this.#isOutdated = true;
    else reread(this.#client, singleKey(resource));
  };

  /** Shows a changed record immediately, sends the change, and rolls it back if the server rejects it. Throws an ApiError. */
  readonly update = async <T extends object>(
    { queryKey }: { readonly queryKey: readonly unknown[] },
    update: Partial<T>,
    carryOut: () => Promise<{ data?: unknown }>,
  ): Promise<void> => {
    const merge = (fields: Partial<T>) =>
      this.#client.setQueryData<T>(queryKey, (value) => value && { ...value, ...fields });
    this.#unanswered++;
    await this.#client.cancelQueries({ queryKey });
    const before = this.#client.getQueryData<T>(queryKey);
    merge(update);
    try {
      const { data } = await carryOut();
      // The answer may lack later updates.
      if (this.#unanswered > 1) this.#isOutdated = true;
      else this.#client.setQueryData(queryKey, data);
    } catch (error) {
      this.#isOutdated = true;
      if (before) merge(fieldsOf(before, update));
      throw error;
    } finally {
      this.#unanswered--;
      if (this.#unanswered === 0 && this.#isOutdated) {
        this.#isOutdated = false;
        reread(this.#client, singlesKey);
      }
    }
  };
}

/** Returns the values of a record in the fields of an update. */
const fieldsOf = <T extends object>(record: T, update: Partial<T>): Partial<T> =>
  Object.fromEntries(Object.entries(record).filter(([field]) => Object.hasOwn(update, field))) as Partial<T>;
