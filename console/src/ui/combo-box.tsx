import { useState } from 'react';
import {
  Button as AriaButton,
  ComboBox as AriaComboBox,
  FieldError,
  Group,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
} from 'react-aria-components';
import comboStyles from './combo-box.module.css';
import { FieldNote } from './field-notes.tsx';
import styles from './fields.module.css';
import type { Choice } from './fields.tsx';
import { useIsDisabled } from './fields-disabled.ts';
import { ChevronDown } from './icons.tsx';
import { plain } from './letters.ts';
import { keepListsOpen } from './list-scroll.ts';
import { uiText } from './text.ts';

keepListsOpen();

/** Maximum number of choices that are listed; typing finds the others. */
const maxListed = 100;

/** Returns the choices that contain the input, without accents and with `_` for a space, too, the chosen one always among them. */
function matchingChoices<T extends string | number>(
  choices: readonly Choice<T>[],
  typed: string,
  value: T | null,
): readonly Choice<T>[] {
  const searched = (text: string): string => plain(text.replaceAll('_', ' '));
  const wanted = searched(typed.trim());
  const matching = choices.filter(({ label }) => searched(label).includes(wanted)).slice(0, maxListed);
  const chosen = choices.find((choice) => choice.value === value);
  return chosen && !matching.includes(chosen) ? [chosen, ...matching] : matching;
}

export interface ComboBoxProps<T extends string | number> {
  readonly label: string;
  readonly value: T | null;
  readonly onChange: (value: T) => void;
  readonly choices: readonly Choice<T>[];
  readonly problem?: string | undefined;
  readonly placeholder?: string;
  readonly isDisabled?: boolean;
  /** Identifies it for {@link FieldNote}. */
  readonly name?: string;
}

/** One of many choices, found by typing. */
export function ComboBox<T extends string | number>({
  label,
  value,
  onChange,
  choices,
  problem,
  placeholder,
  name,
  ...props
}: ComboBoxProps<T>) {
  const chosen = choices.find((choice) => choice.value === value);
  // Null: nothing is being typed.
  const [typed, setTyped] = useState<string | null>(null);
  const isTyping = typed !== null && typed !== chosen?.label;
  return (
    <AriaComboBox
      items={matchingChoices(choices, isTyping ? typed : '', value)}
      selectedKey={value}
      inputValue={typed ?? chosen?.label ?? ''}
      onInputChange={setTyped}
      onSelectionChange={(key) => {
        setTyped(null);
        const next = choices.find((choice) => choice.value === key);
        if (next && next !== chosen) onChange(next.value);
      }}
      onFocusChange={(isFocused) => isFocused || setTyped(null)}
      menuTrigger="focus"
      allowsEmptyCollection
      isDisabled={useIsDisabled(props.isDisabled)}
      isInvalid={problem !== undefined}
      validationBehavior="aria"
      className={styles.field ?? ''}
    >
      <Label className={styles.label ?? ''}>{label}</Label>
      {/* Above the field: its list, which opens with the focus, covers the content below. */}
      <FieldError className={styles.problem ?? ''}>{problem}</FieldError>
      <Group className={comboStyles.group ?? ''}>
        <Input className={styles.input ?? ''} placeholder={placeholder} />
        <AriaButton className={comboStyles.button ?? ''}>
          <ChevronDown aria-hidden="true" size={18} />
        </AriaButton>
      </Group>
      <FieldNote name={name} />
      <Popover className={styles.popover ?? ''}>
        <ListBox<Choice<T>>
          className={styles.list ?? ''}
          renderEmptyState={() => <p className={comboStyles.empty}>{uiText().noMatch}</p>}
        >
          {(choice) => (
            <ListBoxItem id={choice.value} textValue={choice.label} className={styles.option ?? ''}>
              {choice.label}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaComboBox>
  );
}
