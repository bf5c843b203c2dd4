import type { ReactNode } from 'react';
import { Actions } from './actions.tsx';
import { IconButton } from './button.tsx';
import { X } from './icons.tsx';
import styles from './listing.module.css';
import { uiText } from './text.ts';

interface SelectionBarProps {
  /** The number of selected records. */
  readonly count: number;
  readonly onClear: () => void;
  /** The actions on them. */
  readonly children: ReactNode;
}

/** The actions on the selected records of a list; nothing where none is selected. */
export function SelectionBar({ count, onClear, children }: SelectionBarProps) {
  const text = uiText();
  if (count === 0) return null;
  return (
    <div className={styles.selection}>
      <span role="status">{text.selected(count)}</span>
      <Actions>
        {children}
        <IconButton label={text.selectNone} icon={<X />} onPress={onClear} />
      </Actions>
    </div>
  );
}
