import { useEffect, useRef } from 'react';
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

/** Ctrl+Z, Ctrl+Y, Ctrl+Shift+Z and Ctrl+S, on a Mac with the command key. The editor for Lua has its own undo. */
export function useEditorKeys(keys: EditorKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useShortcuts(listed);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || !(event.ctrlKey || event.metaKey)) return;
      const key = event.key.toLowerCase();
      const isLua = event.target instanceof HTMLElement && event.target.closest('.cm-editor') !== null;
      const action =
        key === 's'
          ? latest.current.save
          : isLua
            ? null
            : key === 'y' || (key === 'z' && event.shiftKey)
              ? latest.current.redo
              : key === 'z'
                ? latest.current.undo
                : null;
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
