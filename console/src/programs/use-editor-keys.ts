import { useEffect, useRef } from 'react';

export interface EditorKeys {
  readonly undo: () => void;
  readonly redo: () => void;
  readonly save: () => void;
}

/** Ctrl+Z, Ctrl+Y, Ctrl+Shift+Z and Ctrl+S, on a Mac with the command key. The editor for Lua has its own undo. */
export function useEditorKeys(keys: EditorKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
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
