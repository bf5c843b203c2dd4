/** The states of something that is edited. */
export interface EditHistory<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
  /** The field of the last edit: typing in one field is one edit. */
  readonly mark: string | null;
}

/** Maximum number of edits that can be undone. */
const maxPast = 100;

export const startHistory = <T>(present: T): EditHistory<T> => ({ past: [], present, future: [], mark: null });

/** Adds a state. Edits with the same mark, one after the other, are undone together. */
export function edit<T>(history: EditHistory<T>, next: T, mark: string | null = null): EditHistory<T> {
  if (next === history.present) return history;
  const isContinued = mark !== null && mark === history.mark;
  const past = isContinued ? history.past : [...history.past, history.present].slice(-maxPast);
  return { past, present: next, future: [], mark };
}

export function undo<T>({ past, present, future, mark }: EditHistory<T>): EditHistory<T> {
  const before = past.at(-1);
  if (before === undefined) return { past, present, future, mark };
  return { past: past.slice(0, -1), present: before, future: [present, ...future], mark: null };
}

export function redo<T>({ past, present, future, mark }: EditHistory<T>): EditHistory<T> {
  const [next, ...rest] = future;
  if (next === undefined) return { past, present, future, mark };
  return { past: [...past, present], present: next, future: rest, mark: null };
}
