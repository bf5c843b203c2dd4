import { undoLast } from '../data/undo.ts';
import type { ShortcutGroup } from '../ui/shortcuts.ts';
import { mapText } from './text.ts';

/** The keys of the map; it handles keys without `run` itself while it or a point in it has the focus. */
export const mapKeys: ShortcutGroup = {
  title: () => mapText().title,
  shortcuts: [
    { keys: 'ArrowUp', label: () => mapText().arrowKeys },
    { keys: 'Enter', label: () => mapText().enterKey },
    { keys: 'Escape', label: () => mapText().closePanel },
    { keys: '+', label: () => mapText().zoomIn },
    { keys: '-', label: () => mapText().zoomOut },
    { keys: '0', label: () => mapText().showAll },
    // In a text field it undoes typing.
    { keys: 'Mod+z', label: () => mapText().undoKey, run: () => void undoLast(), worksInFields: false },
  ],
};
