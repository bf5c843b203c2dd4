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
 * Like useState, but what was typed is kept in this tab: over an error, a lost connection, a sign-out and the back button.
 * Returns the value, its setter, and a function that ends the draft and may set another value. `key` identifies the edited record:
 * `sequence 5`.
 */
export function useDraft<T>(key: string, initial: T): readonly [T, (value: T) => void, (next?: T) => void] {
  // A form that signs in ends its draft afterward.
  const [own] = useState(scope);
  const stored = `${prefix}${own}${key}`;
  const [value, setValue] = useState<T>(() => {
    try {
      return JSON.parse(sessionStorage.getItem(stored) ?? 'null') ?? initial;
    } catch {
      return initial;
    }
  });
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
  ];
}

/** A draft of a stored value, which may be changed elsewhere in the meantime. */
export interface StoredDraft<T> {
  /** The draft; the stored value if there is none. */
  readonly value: T;
  readonly isChanged: boolean;
  /** Whether the stored value has changed since the draft was started. */
  readonly isConflict: boolean;
  set(value: T): void;
  /** Keeps the draft although the stored value has changed. */
  keep(): void;
  /** Discards the draft and shows the stored value. */
  end(): void;
}

/** Like {@link useDraft} for a stored value: without a draft, changes that are made elsewhere are shown immediately. */
export function useStoredDraft<T>(key: string, stored: T): StoredDraft<T> {
  const [kept, setKept, discard] = useDraft<{ readonly value: T; readonly base: string } | null>(key, null);
  const now = JSON.stringify(stored);
  const value = kept?.value ?? stored;
  const isChanged = JSON.stringify(value) !== now;
  const base = kept && isChanged ? kept.base : now;
  const end = (): void => {
    setKept(null);
    discard();
  };
  return {
    value,
    isChanged,
    isConflict: base !== now,
    set: (next) => (JSON.stringify(next) === base ? end() : setKept({ value: next, base })),
    keep: () => setKept({ value, base: now }),
    end,
  };
}

/** Whether this tab keeps a draft with this key. */
export const hasDraft = (key: string): boolean => sessionStorage.getItem(keyOf(key)) !== null;
