import { sessionDays } from '../../../src/core/session-lifetime.ts';
import { setShared, useIsShared } from '../data/resumption.ts';
import { useServer } from '../data/server.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { Checkbox, TextField } from '../ui/fields.tsx';
import { authText } from './text.ts';

interface CredentialFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problem: string | undefined;
  readonly autoFocus?: boolean;
}

export const EmailField = (props: CredentialFieldProps & { readonly isDisabled?: boolean }) => (
  <TextField {...props} label={sharedLabels().email} type="email" name="email" autoComplete="username" isRequired />
);

/** The password of an account, to sign in. */
export const PasswordField = (props: CredentialFieldProps) => (
  <TextField
    {...props}
    label={sharedLabels().password}
    type="password"
    name="password"
    autoComplete="current-password"
    isRequired
  />
);

/** Whether others use the computer, too: it does not stay signed in. */
export function SharedComputerField() {
  const text = authText();
  return (
    <Checkbox isSelected={useIsShared()} onChange={setShared} label={text.shared} hint={text.sharedHint(sessionDays)} />
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
  const text = authText();
  if (terms_url === null) return null;
  return (
    <Checkbox
      isSelected={isSelected}
      onChange={onChange}
      problem={problem}
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
  );
}
