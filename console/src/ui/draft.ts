import { useState } from 'react';

const prefix = 'draft:';
/** The owner of the drafts: each garden has its own. */
let scope = '';

/** Sets the owner of the drafts, such as `device_5`. */
export function setDraftScope(name: string): void {
  scope = `${name} `;
}

const keyOf = (key: string): string => `${prefix}${scope}${key}`;

/** Keeps a draft for the form that asks for it next. */
export const keepDraft = (key: string, value: unknown): void =>
  sessionStorage.setItem(keyOf(key), JSON.stringify(value));

/**
 * Like useState, but the input is kept in this tab: over an error, a lost connection, a sign-out and the back button.
 * Returns the value, its setter, a function that ends the draft and may set another value, and one that returns the current input.
 * `key` identifies the edited record: `sequence 5`.
 */
export function useDraft<T>(
  key: string,
  initial: T,
): readonly [T, set: (value: T) => void, end: (next?: T) => void, read: () => T] {
  // A form that signs in ends its draft afterward.
  const [own] = useState(scope);
  const stored = `${prefix}${own}${key}`;
  const read = (): T => {
    try {
      return JSON.parse(sessionStorage.getItem(stored) ?? 'null') ?? initial;
    } catch {
      return initial;
    }
  };
  const [value, setValue] = useState<T>(read);
  return [
    value,
    (next) => {
      setValue(next);
      sessionStorage.setItem(stored, JSON.stringify(next));
    },
    (next) => {
      if (next !== undefined) setValue(next);
      sessionStorage.removeItem(stored);
    },
    read,
  ];
}

/** A draft of a stored record, which may be changed elsewhere in the meantime. */
export interface StoredDraft<T> {
  /** The draft: fields that were not changed here are as they are stored. */
  readonly value: T;
  /** The fields that were changed here. */
  readonly changes: Partial<T>;
  readonly isChanged: boolean;
  /** The stored values of fields that were changed both here and elsewhere: saving replaces them. */
  readonly conflicts: Partial<T>;
  set(value: T): void;
  /** Ends the draft, as it was saved or discarded. Input since then, while it was sent, stays. */
  end(): void;
}

/** A changed field, and the stored value when its change began. */
interface ChangedField {
  readonly value: unknown;
  readonly before: unknown;
}

type Fields<F> = Readonly<Record<string, F>>;
type Entries = readonly (readonly [name: string, field: ChangedField])[];

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Like {@link useDraft} for a stored record: changes that are made elsewhere are shown immediately, except in fields that were changed here. */
export function useStoredDraft<T extends object>(key: string, stored: T): StoredDraft<T> {
  const [kept, keep, discard, read] = useDraft<Fields<ChangedField>>(`fields of ${key}`, {});
  const now = stored as Fields<unknown>;
  const entries = Object.entries(kept);
  const changes = Object.fromEntries(entries.map(([name, { value }]) => [name, value])) as Partial<T>;
  const keepFields = (fields: Entries): void => (fields.length === 0 ? discard({}) : keep(Object.fromEntries(fields)));
  return {
    value: { ...stored, ...changes },
    changes,
    isChanged: entries.length > 0,
    conflicts: Object.fromEntries(
      entries.flatMap(([name, { value, before }]) =>
        isSame(now[name], before) || isSame(now[name], value) ? [] : [[name, now[name]]],
      ),
    ) as Partial<T>,
    set: (next) =>
      keepFields(
        Object.entries(next).flatMap(([name, value]): Entries => {
          const before = kept[name] ? kept[name].before : now[name];
          // A value being saved is shown as stored, but may be refused.
          return isSame(value, now[name]) && isSame(value, before) ? [] : [[name, { value, before }]];
        }),
      ),
    end: () =>
      keepFields(
        Object.entries(read()).flatMap(([name, { value, before }]): Entries => {
          const ended = kept[name];
          if (!ended) return [[name, { value, before }]];
          return isSame(value, ended.value) ? [] : [[name, { value, before: ended.value }]];
        }),
      ),
  };
}

/** Whether this tab keeps a draft with this key. */
export const hasDraft = (key: string): boolean => sessionStorage.getItem(keyOf(key)) !== null;
