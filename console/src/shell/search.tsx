import { Suspense, useId, useState } from 'react';
import { groupBy } from '../data/groups.ts';
import { IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Search as SearchIcon } from '../ui/icons.tsx';
import { later } from '../ui/later.ts';
import { keyNames, type Shortcut, type ShortcutGroup, useShortcutGroups, useShortcuts } from '../ui/shortcuts.ts';
import styles from './search.module.css';
import { searchText } from './search-text.ts';
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

const Group = ({ title, shortcuts }: { readonly title: string; readonly shortcuts: readonly Shortcut[] }) => {
  const id = useId();
  return (
    <section className={styles.group} aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <dl className={styles.shortcuts}>
        {shortcuts.map(({ keys, label }) => (
          <div key={keys} className={styles.shortcut}>
            <dt>
              <kbd className={styles.key}>{keyNames(keys)}</kbd>
            </dt>
            <dd>{label()}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
};

/** Lists the shortcuts of the page that was open, and the shortcuts of all pages. */
const ShortcutHelp = ({
  groups,
  onClose,
}: {
  readonly groups: readonly ShortcutGroup[];
  readonly onClose: () => void;
}) => (
  <Dialog title={searchText().shortcuts} isOpen onClose={onClose}>
    {[...groupBy(groups, ({ title }) => title())].map(([title, all]) => (
      <Group key={title} title={title} shortcuts={all.flatMap(({ shortcuts }) => shortcuts)} />
    ))}
  </Dialog>
);
