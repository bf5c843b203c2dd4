import type { ReactNode } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button, IconButton } from './button.tsx';
import fields from './fields.module.css';
import { Ellipsis } from './icons.tsx';
import styles from './menu.module.css';

/** An item of a menu. */
export interface MenuEntry {
  readonly id: string;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly onAction: () => void;
  readonly isDisabled?: boolean;
  readonly tone?: 'plain' | 'danger';
}

export interface MenuButtonProps {
  /** The accessible name of the menu. */
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  readonly icon?: ReactNode;
  /** Shows the name beside the icon. */
  readonly isLabeled?: boolean;
  readonly isDisabled?: boolean;
}

/** A button that opens a menu; three dots unless it has another icon. */
export const MenuButton = ({
  label,
  entries,
  icon = <Ellipsis />,
  isLabeled = false,
  isDisabled = false,
}: MenuButtonProps) => (
  <MenuTrigger>
    {isLabeled ? (
      <Button icon={icon} isDisabled={isDisabled}>
        {label}
      </Button>
    ) : (
      <IconButton label={label} icon={icon} isDisabled={isDisabled} />
    )}
    <Popover className={fields.popover ?? ''}>
      <AriaMenu
        className={fields.list ?? ''}
        aria-label={label}
        disabledKeys={entries.filter(({ isDisabled: isOff }) => isOff).map(({ id }) => id)}
      >
        {entries.map(({ id, label: words, icon: picture, onAction, tone }) => (
          <MenuItem
            key={id}
            id={id}
            textValue={words}
            onAction={onAction}
            className={`${fields.option} ${styles.entry} ${tone === 'danger' ? styles.danger : ''}`}
          >
            {picture}
            {words}
          </MenuItem>
        ))}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
);
