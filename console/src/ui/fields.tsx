import { type ReactNode, useContext, useEffect, useEffectEvent, useId, useState } from 'react';
import {
  Button as AriaButton,
  Checkbox as AriaCheckbox,
  NumberField as AriaNumberField,
  Select as AriaSelect,
  Switch as AriaSwitch,
  TextField as AriaTextField,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  NumberFieldStateContext,
  Popover,
  SelectValue,
  Text,
  TextArea,
} from 'react-aria-components';
import { FieldNote } from './field-notes.tsx';
import styles from './fields.module.css';
import { useIsDisabled } from './fields-disabled.ts';
import { Check, ChevronDown } from './icons.tsx';

export interface FieldProps {
  readonly label: string;
  /** A sentence below the field. */
  readonly hint?: ReactNode;
  /** The problem of the value, as the server reports it. */
  readonly problem?: string | undefined;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  /** Also identifies the field for {@link FieldNote}. */
  readonly name?: string;
  readonly autoFocus?: boolean;
}

export const Hint = ({ hint }: { readonly hint: ReactNode }) =>
  hint ? (
    <Text slot="description" className={styles.hint ?? ''}>
      {hint}
    </Text>
  ) : null;

export const Problem = ({ problem }: { readonly problem: string | undefined }) => (
  <FieldError className={styles.problem ?? ''}>{problem}</FieldError>
);

export interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'search' | 'time' | 'date' | 'datetime-local';
  readonly autoComplete?: string;
  readonly placeholder?: string;
  readonly maxLength?: number;
  /** More than one line. */
  readonly isLong?: boolean;
  readonly onBlur?: () => void;
  readonly isReadOnly?: boolean;
}

export const TextField = ({
  label,
  hint,
  problem,
  isLong = false,
  placeholder,
  type = 'text',
  ...props
}: TextFieldProps) => (
  <AriaTextField
    {...props}
    type={type}
    isDisabled={useIsDisabled(props.isDisabled)}
    isInvalid={problem !== undefined}
    validationBehavior="aria"
    className={styles.field ?? ''}
  >
    <Label className={styles.label ?? ''}>{label}</Label>
    {isLong ? (
      <TextArea className={styles.input ?? ''} placeholder={placeholder} rows={4} />
    ) : (
      <Input className={styles.input ?? ''} placeholder={placeholder} data-empty={props.value === '' || undefined} />
    )}
    <Hint hint={hint} />
    <Problem problem={problem} />
    <FieldNote name={props.name} />
  </AriaTextField>
);

export interface NumberFieldProps extends FieldProps {
  /** NaN: empty. */
  readonly value: number;
  /** Gets the number when the field is left. */
  readonly onChange: (value: number) => void;
  /** Gets each number that is typed on the way. */
  readonly onTyped?: ((value: number) => void) | undefined;
  readonly minValue?: number;
  readonly maxValue?: number;
  readonly step?: number;
  /** Behind the number: `mm`. */
  readonly unit?: string;
}

/** Reports input to the number field around it. */
function TypedNumber({ onTyped }: { readonly onTyped: (value: number) => void }) {
  const typed = useContext(NumberFieldStateContext)?.numberValue;
  const report = useEffectEvent((value: number) => onTyped(value));
  useEffect(() => {
    if (typed !== undefined) report(typed);
  }, [typed]);
  return null;
}

export function NumberField({ label, hint, problem, unit, value, onChange, onTyped, ...props }: NumberFieldProps) {
  // The value when typing began: otherwise a value that arrives later would replace the input.
  const [held, setHeld] = useState<number | null>(null);
  return (
    <AriaNumberField
      {...props}
      isDisabled={useIsDisabled(props.isDisabled)}
      value={held ?? value}
      onChange={(next) => {
        setHeld(null);
        onChange(next);
      }}
      isInvalid={problem !== undefined}
      validationBehavior="aria"
      formatOptions={{ maximumFractionDigits: 6, useGrouping: false }}
      className={styles.field ?? ''}
    >
      <Label className={styles.label ?? ''}>{unit ? `${label} (${unit})` : label}</Label>
      <Input
        className={styles.input ?? ''}
        onInput={() => setHeld((before) => before ?? value)}
        onBlur={() => setHeld(null)}
      />
      {held !== null && onTyped ? <TypedNumber onTyped={onTyped} /> : null}
      <Hint hint={hint} />
      <Problem problem={problem} />
      <FieldNote name={props.name} />
    </AriaNumberField>
  );
}

export interface Choice<T extends string | number> {
  readonly value: T;
  readonly label: string;
}

export interface SelectProps<T extends string | number> extends FieldProps {
  readonly value: T | null;
  readonly onChange: (value: T) => void;
  readonly choices: readonly Choice<T>[];
  readonly placeholder?: string;
}

export function Select<T extends string | number>({
  label,
  hint,
  problem,
  value,
  onChange,
  choices,
  placeholder,
  ...props
}: SelectProps<T>) {
  return (
    <AriaSelect
      {...props}
      {...(placeholder === undefined ? {} : { placeholder })}
      isDisabled={useIsDisabled(props.isDisabled)}
      isInvalid={problem !== undefined}
      validationBehavior="aria"
      value={value}
      onChange={(key) => {
        const chosen = choices.find((choice) => choice.value === key);
        if (chosen) onChange(chosen.value);
      }}
      className={styles.field ?? ''}
    >
      <Label className={styles.label ?? ''}>{label}</Label>
      <AriaButton className={`${styles.input} ${styles.select}`}>
        <SelectValue />
        <ChevronDown aria-hidden="true" size={18} />
      </AriaButton>
      <Hint hint={hint} />
      <Problem problem={problem} />
      <FieldNote name={props.name} />
      <Popover className={styles.popover ?? ''}>
        <ListBox className={styles.list ?? ''} items={choices}>
          {(choice) => (
            <ListBoxItem id={choice.value} textValue={choice.label} className={styles.option ?? ''}>
              {choice.label}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

export interface ToggleProps {
  readonly label: ReactNode;
  readonly problem?: string | undefined;
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  readonly isDisabled?: boolean;
  readonly hint?: ReactNode;
  /** Identifies it for {@link FieldNote}. */
  readonly name?: string;
}

interface ToggleWordsProps extends Pick<ToggleProps, 'hint' | 'problem' | 'name'> {
  /** A toggle with the properties that the problem gives it. */
  readonly children: (problemProps: {
    readonly 'aria-describedby'?: string;
    readonly isInvalid?: boolean;
  }) => ReactNode;
}

function ToggleWords({ hint, problem, name, children }: ToggleWordsProps) {
  const id = useId();
  return (
    <div className={styles.toggle} data-invalid={problem === undefined ? undefined : true}>
      {children(problem === undefined ? {} : { 'aria-describedby': id, isInvalid: true })}
      {hint ? <div className={styles.hint}>{hint}</div> : null}
      {problem === undefined ? null : (
        <div id={id} className={styles.problem}>
          {problem}
        </div>
      )}
      <FieldNote name={name} />
    </div>
  );
}

export function Checkbox({
  label,
  hint,
  problem,
  name,
  ...props
}: ToggleProps & { readonly isIndeterminate?: boolean }) {
  const isDisabled = useIsDisabled(props.isDisabled);
  return (
    <ToggleWords hint={hint} problem={problem} name={name}>
      {(problemProps) => (
        <AriaCheckbox
          {...props}
          {...problemProps}
          isDisabled={isDisabled}
          validationBehavior="aria"
          className={styles.checkbox ?? ''}
        >
          <span className={styles.box} aria-hidden="true">
            <Check size={16} strokeWidth={3} />
          </span>
          <span>{label}</span>
        </AriaCheckbox>
      )}
    </ToggleWords>
  );
}

export function Switch({ label, hint, problem, name, ...props }: ToggleProps) {
  const isDisabled = useIsDisabled(props.isDisabled);
  return (
    <ToggleWords hint={hint} problem={problem} name={name}>
      {(problemProps) => (
        <AriaSwitch {...props} {...problemProps} isDisabled={isDisabled} className={styles.checkbox ?? ''}>
          <span className={styles.track} aria-hidden="true" />
          <span>{label}</span>
        </AriaSwitch>
      )}
    </ToggleWords>
  );
}
