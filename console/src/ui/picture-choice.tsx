import { Label, Radio, RadioGroup } from 'react-aria-components';
import { FieldNote } from './field-notes.tsx';
import fieldStyles from './fields.module.css';
import { type Choice, type FieldProps, Hint, Problem } from './fields.tsx';
import { useIsDisabled } from './fields-disabled.ts';
import type { Icon } from './icons.tsx';
import styles from './picture-choice.module.css';

export interface PictureChoiceProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly choices: readonly (Choice<string> & { readonly picture: Icon })[];
}

/** One of several values, each with its picture. */
export const PictureChoice = ({ label, hint, problem, choices, ...props }: PictureChoiceProps) => (
  <RadioGroup
    {...props}
    isDisabled={useIsDisabled(props.isDisabled)}
    isInvalid={problem !== undefined}
    validationBehavior="aria"
    orientation="horizontal"
    className={fieldStyles.field ?? ''}
  >
    <Label className={fieldStyles.label ?? ''}>{label}</Label>
    <div className={styles.choices}>
      {choices.map(({ value, label: name, picture: Picture }) => (
        <Radio key={value} value={value} className={styles.choice ?? ''}>
          <Picture size={28} />
          <span>{name}</span>
        </Radio>
      ))}
    </div>
    <Hint hint={hint} />
    <Problem problem={problem} />
    <FieldNote name={props.name} />
  </RadioGroup>
);
