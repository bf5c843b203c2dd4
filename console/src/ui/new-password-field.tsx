import { useState } from 'react';
import { Checkbox, TextField } from './fields.tsx';
import styles from './new-password-field.module.css';
import { uiText } from './text.ts';
import { weakPasswords } from './weak-passwords.ts';

const maxPasswordLength = 1024;

interface NewPasswordFieldProps {
  readonly label: string;
  readonly name?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problem: string | undefined;
  /** Known facts about the user: name, address. */
  readonly own?: readonly string[];
  readonly autoFocus?: boolean;
  readonly isDisabled?: boolean;
}

/** A new password. Warns of passwords that attackers try first, such as `own`; the server accepts them. */
export function NewPasswordField({ own = [], name = 'password', ...props }: NewPasswordFieldProps) {
  const text = uiText();
  const [isShown, setShown] = useState(false);
  const word = props.value.trim().toLowerCase();
  const isWeak = word !== '' && (weakPasswords.has(word) || own.some((each) => each.trim().toLowerCase() === word));
  return (
    <div className={styles.group}>
      <TextField
        {...props}
        name={name}
        hint={text.passwordHint}
        type={isShown ? 'text' : 'password'}
        autoComplete="new-password"
        maxLength={maxPasswordLength}
        isRequired
      />
      <p role="status" className={styles.warning}>
        {isWeak ? text.passwordWarning : ''}
      </p>
      <Checkbox label={text.showPassword} isSelected={isShown} onChange={setShown} />
    </div>
  );
}
