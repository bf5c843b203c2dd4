import { useEffect, useState } from 'react';

const prefix = 'draft:';

/**
 * Like useState, but what was typed is kept in this tab: over an error, a lost connection, a sign-out and the back button.
 * Returns the value, its setter, and a function that ends the draft. `key` says what is edited: `sequence 5`.
 */
export function useDraft<T>(key: string, initial: T): readonly [T, (value: T) => void, () => void] {
  const [value, setValue] = useState<T>(() => {
    try {
      return JSON.parse(sessionStorage.getItem(prefix + key) ?? 'null') ?? initial;
    } catch {
      return initial;
    }
  });
  const [isChanged, setChanged] = useState(false);
  useEffect(() => {
    if (isChanged) sessionStorage.setItem(prefix + key, JSON.stringify(value));
  }, [key, value, isChanged]);
  return [
    value,
    (next) => {
      setChanged(true);
      setValue(next);
    },
    () => {
      setChanged(false);
      sessionStorage.removeItem(prefix + key);
    },
  ];
}

/** Whether this tab keeps a draft with this key. */
export const hasDraft = (key: string): boolean => ![null, 'null'].includes(sessionStorage.getItem(prefix + key));
