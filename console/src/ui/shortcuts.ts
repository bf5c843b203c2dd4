import { useEffect } from 'react';
import { Store, useStore } from './store.ts';

/** A keyboard shortcut. */
export interface Shortcut {
  /** Modifiers and a `KeyboardEvent.key`: `F8`, `Mod+k`, `?`, `Shift+ArrowUp`. `Mod` is Ctrl, on a Mac Cmd. */
  readonly keys: string;
  /** The description in the language of the page, for the list of all shortcuts. */
  readonly label: () => string;
  /** Without it, the shortcut is only listed, and its component handles the key. */
  readonly run?: (event: KeyboardEvent) => void;
  /** Also while something is typed. Shortcuts with `Mod` always do. */
  readonly worksInFields?: boolean;
}

/** Shortcuts of one place, such as a page. */
export interface ShortcutGroup {
  readonly title: () => string;
  readonly shortcuts: readonly Shortcut[];
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const groups = new Store<readonly ShortcutGroup[]>([]);

const typingIn = 'input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]';

/** `Shift+ArrowUp` → `Shift`, `ArrowUp`. The plus sign is a key, too. */
const partsOf = (keys: string): string[] => (keys === '+' ? ['+'] : keys.split('+'));

/** Whether an event is the press of these keys. */
function isPress(keys: string, event: KeyboardEvent): boolean {
  const modifiers = partsOf(keys);
  const key = modifiers.pop() ?? '';
  if (event.key.toLowerCase() !== key.toLowerCase()) return false;
  const mod = isMac ? event.metaKey : event.ctrlKey;
  const other = isMac ? event.ctrlKey : event.metaKey;
  if (mod !== modifiers.includes('Mod') || other || event.altKey !== modifiers.includes('Alt')) return false;
  // A sign such as `?` is typed with Shift on most keyboards.
  return key.length === 1 || event.shiftKey === modifiers.includes('Shift');
}

// Before the widgets of the page, some of which keep keys for themselves.
addEventListener(
  'keydown',
  (event) => {
    if (event.repeat || event.isComposing) return;
    const isTyping = event.target instanceof Element && event.target.closest(typingIn) !== null;
    // The newest group first: an open dialog's before its page's.
    for (const { shortcuts } of groups.get())
      for (const { keys, run, worksInFields = keys.startsWith('Mod+') } of shortcuts) {
        if (!run || (isTyping && !worksInFields) || !isPress(keys, event)) continue;
        event.preventDefault();
        event.stopPropagation();
        run(event);
        return;
      }
  },
  { capture: true },
);

/** Enables shortcuts; returns a function that disables them. */
export function addShortcuts(group: ShortcutGroup): () => void {
  groups.set([group, ...groups.get()]);
  return () => groups.set(groups.get().filter((other) => other !== group));
}

/** Enables shortcuts while the component is mounted. `group` must stay the same object while nothing in it changes. */
export const useShortcuts = (group: ShortcutGroup): void => useEffect(() => addShortcuts(group), [group]);

/** Returns the shortcuts that work now, the page's first. */
export const useShortcutGroups = (): readonly ShortcutGroup[] => useStore(groups);

/** The keys as they are printed on the keyboard: `Ctrl + K`. */
export const keyNames = (keys: string): string =>
  partsOf(keys)
    .map((key) => {
      if (key === 'Mod') return isMac ? '⌘' : 'Ctrl';
      const arrows: Readonly<Record<string, string>> = {
        ArrowUp: '↑',
        ArrowDown: '↓',
        ArrowLeft: '←',
        ArrowRight: '→',
        PageUp: 'Page ↑',
        PageDown: 'Page ↓',
      };
      return arrows[key] ?? (key.length === 1 ? key.toUpperCase() : key);
    })
    .join(' + ');
