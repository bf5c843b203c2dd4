import { useState } from 'react';
import { useServer } from '../data/server.ts';
import { Checkbox, TextField } from '../ui/fields.tsx';
import styles from './doors.module.css';
import { doorText } from './text.ts';
import { weakPasswords } from './weak-passwords.ts';

interface CredentialFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problem: string | undefined;
  readonly autoFocus?: boolean;
}

export const EmailField = (props: CredentialFieldProps & { readonly isDisabled?: boolean }) => (
  <TextField {...props} label={doorText().email} type="email" name="email" autoComplete="username" isRequired />
);

/** The password of an account, to sign in. */
export const PasswordField = (props: CredentialFieldProps) => (
  <TextField
    {...props}
    label={doorText().password}
    type="password"
    name="password"
    autoComplete="current-password"
    isRequired
  />
);

const maxPasswordLength = 1024;

/** A new password. Warns of those that attackers try first, among which `own` (name, address) are; the server accepts them. */
export function NewPasswordField({
  label,
  own = [],
  ...props
}: CredentialFieldProps & { readonly label: string; readonly own?: readonly string[] }) {
  const text = doorText();
  const [isShown, setShown] = useState(false);
  const word = props.value.trim().toLowerCase();
  const isWeak = word !== '' && (weakPasswords.has(word) || own.some((each) => each.trim().toLowerCase() === word));
  return (
    <div className={styles.group}>
      <TextField
        {...props}
        label={label}
        hint={text.passwordHint}
        type={isShown ? 'text' : 'password'}
        name="password"
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

const External = ({ address, children }: { readonly address: string; readonly children: string }) => (
  <a href={address} rel="noopener noreferrer" target="_blank">
    {children}
  </a>
);

/** Agreement to the terms of service; nothing where there are none. */
export function TermsField({
  isSelected,
  onChange,
  problem,
}: {
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  readonly problem: string | undefined;
}) {
  const { terms_url, privacy_url } = useServer();
  const text = doorText();
  if (terms_url === null) return null;
  return (
    <div>
      <Checkbox
        isSelected={isSelected}
        onChange={onChange}
        label={
          <>
            {text.agree} <External address={terms_url}>{text.terms}</External>
            {privacy_url ? (
              <>
                {' '}
                {text.and} <External address={privacy_url}>{text.privacy}</External>
              </>
            ) : null}
          </>
        }
      />
      {problem ? (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      ) : null}
    </div>
  );
}
