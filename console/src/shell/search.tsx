import { Suspense, useState } from 'react';
import { IconButton } from '../ui/button.tsx';
import { Search as SearchIcon } from '../ui/icons.tsx';
import { later } from '../ui/later.ts';
import { keyNames, useShortcutGroups, useShortcuts } from '../ui/shortcuts.ts';
import { searchText } from './search-text.ts';
import { ShortcutHelp } from './shortcut-help.tsx';
import { stopText } from './stop-text.ts';

const SearchDialog = later(async () => (await import('./search-dialog.tsx')).SearchDialog);

const searchKeys = 'Mod+k';

/** The button and the keys of the search and of the list of shortcuts, with their dialogs. */
export function Search() {
  const text = searchText();
  const [open, setOpen] = useState<'search' | 'shortcuts' | null>(null);
  const groups = useShortcutGroups();
  const close = (): void => setOpen(null);
  const [shortcuts] = useState(() => ({
    title: () => stopText().everywhere,
    shortcuts: [
      { keys: searchKeys, label: () => searchText().title, run: () => setOpen('search') },
      { keys: '?', label: () => searchText().shortcuts, run: () => setOpen('shortcuts') },
      // The widgets of the page handle it.
      { keys: 'F6', label: () => searchText().toMessages },
    ],
  }));
  useShortcuts(shortcuts);
  return (
    <>
      <IconButton
        label={`${text.search} (${keyNames(searchKeys)})`}
        icon={<SearchIcon />}
        onPress={() => setOpen('search')}
      />
      {open === 'search' ? (
        <Suspense>
          <SearchDialog onClose={close} showShortcuts={() => setOpen('shortcuts')} />
        </Suspense>
      ) : null}
      {open === 'shortcuts' ? <ShortcutHelp groups={groups} onClose={close} /> : null}
    </>
  );
}
