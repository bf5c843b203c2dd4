import { useEffect, useEffectEvent } from 'react';
import { type ShortcutGroup, useShortcuts } from '../ui/shortcuts.ts';
import { programsText } from './text.ts';

const listed: ShortcutGroup = {
  title: () => programsText().title,
  shortcuts: [
    { keys: 'Mod+s', label: () => programsText().save },
    { keys: 'Mod+z', label: () => programsText().undo },
    { keys: 'Mod+y', label: () => programsText().redo },
  ],
};

export interface EditorKeys {
  readonly undo: () => void;
  readonly redo: () => void;
  readonly save: () => void;
}

/** The action of a key; null if none. A dialog covers the program, and the editor for Lua has its own undo. */
function actionOf({ key, shiftKey, target }: KeyboardEvent): keyof EditorKeys | null {
  if (target instanceof Element && target.closest('[role=dialog], [role=alertdialog]')) return null;
  const lower = key.toLowerCase();
  if (lower === 's') return 'save';
  if (target instanceof HTMLElement && target.closest('.cm-editor')) return null;
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
