import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useDraft } from '../ui/draft.ts';
import { type ShortcutGroup, useShortcuts } from '../ui/shortcuts.ts';
import { type EditHistory, edit, redo, startHistory, undo } from './edit-history.ts';
import { draftOf, fingerprint, type Program, type ProgramDraft, storedDraft } from './program-draft.ts';
import { programsText } from './text.ts';

/** A draft as stored in the tab, with the program's stored state when editing began. */
interface KeptDraft {
  readonly draft: ProgramDraft;
  readonly base: string;
}

/** The key of a program's draft. */
export const draftKey = (id: number): string => `program ${id}`;

/** Edits a program: with undo, a draft that is stored in the tab, and detection of changes made elsewhere. */
export function useProgramDraft(program: Program) {
  const theirs = useMemo(() => draftOf(program), [program]);
  const stored = useMemo(() => fingerprint(theirs), [theirs]);
  const [kept, keep, endDraft] = useDraft<KeptDraft | null>(draftKey(program.id), null);
  const [base, setBase] = useState(kept?.base ?? stored);
  const [history, setHistory] = useState<EditHistory<ProgramDraft>>(() => startHistory(kept?.draft ?? theirs));
  const latest = useRef(history);
  const mine = useMemo(() => fingerprint(history.present), [history.present]);
  const isChanged = mine !== base;
  const isConflict = isChanged && stored !== base && stored !== mine;

  const show = (next: EditHistory<ProgramDraft>, nextBase = base): void => {
    latest.current = next;
    setHistory(next);
    setBase(nextBase);
    if (fingerprint(next.present) === nextBase) endDraft(null);
    else keep({ draft: next.present, base: nextBase });
  };

  // Changed elsewhere: without a draft the change is shown immediately.
  const follow = useEffectEvent((now: string) => {
    if (now === base) return;
    if (now === mine) show(history, now);
    else if (!isChanged) show(startHistory(theirs), now);
  });
  useEffect(() => follow(stored), [stored]);

  return {
    draft: history.present,
    isChanged,
    /** Whether the program was changed elsewhere since the draft was begun. */
    isConflict,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    /** Returns the current draft, also between two renderings. */
    current: () => latest.current.present,
    /** `mark`: edits with the same one are undone together. */
    change: (draft: ProgramDraft, mark: string | null = null) => show(edit(latest.current, draft, mark)),
    undo: () => show(undo(latest.current)),
    redo: () => show(redo(latest.current)),
    /** Replaces the draft by the stored program. Undo restores the draft. */
    discard: () => show(edit(latest.current, theirs, null), stored),
    /** Keeps the draft although the program was changed elsewhere. */
    keepMine: () => show(latest.current, stored),
    /** Called with the stored program after `sent` was saved. */
    saved(record: Program, sent: ProgramDraft) {
      const next = storedDraft(record, sent);
      const isUntouched = latest.current.present === sent;
      show(isUntouched ? { ...latest.current, present: next, mark: null } : latest.current, fingerprint(next));
    },
  };
}

/** A program that is edited. */
export type ProgramEditing = ReturnType<typeof useProgramDraft>;

const listed: ShortcutGroup = {
  title: () => programsText().title,
  shortcuts: [
    { keys: 'Mod+s', label: () => programsText().save },
    { keys: 'Mod+z', label: () => programsText().undo },
    { keys: 'Mod+y', label: () => programsText().redo },
  ],
};

interface EditorKeys {
  readonly undo: () => void;
  readonly redo: () => void;
  readonly save: () => void;
}

/** The action of a key; null if none. A dialog covers the program, unless it is the editor for Lua, which has its own undo. */
function actionOf({ key, shiftKey, target }: KeyboardEvent): keyof EditorKeys | null {
  const isIn = (selector: string): boolean => target instanceof Element && target.closest(selector) !== null;
  const lower = key.toLowerCase();
  if (lower === 's' && isIn('.cm-editor')) return 'save';
  if (isIn('[role=dialog], [role=alertdialog], .cm-editor')) return null;
  if (lower === 's') return 'save';
  if (lower === 'y' || (lower === 'z' && shiftKey)) return 'redo';
  return lower === 'z' ? 'undo' : null;
}

/** Ctrl+Z, Ctrl+Y, Ctrl+Shift+Z and Ctrl+S, on a Mac with the command key. */
export function useEditorKeys(keys: EditorKeys): void {
  const run = useEffectEvent((action: keyof EditorKeys) => keys[action]());
  useShortcuts(listed);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || !(event.ctrlKey || event.metaKey)) return;
      const action = actionOf(event);
      if (!action) return;
      event.preventDefault();
      run(action);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
