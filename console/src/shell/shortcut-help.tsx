import { useId } from 'react';
import { groupBy } from '../data/groups.ts';
import { Dialog } from '../ui/dialog.tsx';
import { keyNames, type Shortcut, type ShortcutGroup } from '../ui/shortcuts.ts';
import styles from './search.module.css';
import { searchText } from './search-text.ts';

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
export const ShortcutHelp = ({
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
