import { type ReactNode, useState } from 'react';
import { accountLanguages } from '../../../src/core/languages.ts';
import { api, bodyOf } from '../data/api.ts';
import { ApiError } from '../data/api-error.ts';
import { noteSignUp } from '../data/resumption.ts';
import { useServer } from '../data/server.ts';
import type { Session } from '../data/session.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { useDraft } from '../ui/draft.ts';
import { TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { getLanguage } from '../ui/language.ts';
import { NewPasswordField } from '../ui/new-password-field.tsx';
import { Card, Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { EmailField, SharedComputerField, TermsField } from './credential-fields.tsx';
import { storeOwnZone } from './own-zone.ts';
import { ResendButton } from './resend-button.tsx';
import { authText } from './text.ts';

export interface AccountFormProps {
  /** The secret of an invitation, the address that it is for, and the garden, if it is not to the server only. */
  readonly invitation?: {
    readonly token: string;
    readonly email: string;
    readonly garden: string | undefined;
  };
  /** Gets the session of the new account, where it needs no confirmation first. */
  readonly onSession: (session: Session) => Promise<void>;
  /** Above the form, until the account is created. */
  readonly beginning?: ReactNode;
  /** Below the fields. */
  readonly note?: ReactNode;
}

/** The form to create an account; afterwards, the request to confirm its address. */
export function AccountForm({ invitation, onSession, beginning, note }: AccountFormProps) {
  const text = authText();
  const server = useServer();
  const [draft, setDraft, endDraft] = useDraft('sign-up', { name: '', email: '' });
  const email = invitation?.email ?? draft.email;
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [hasAgreed, setAgreed] = useState(false);
  const [isSent, setSent] = useState(false);
  const submission = useSubmission({
    name: draft.name,
    email,
    password,
    administrator_code: code,
    terms_of_service: hasAgreed,
  });
  const { problems } = submission;
  const create = () =>
    submission.run(async () => {
      await api.POST('/api/users', {
        body: {
          name: draft.name,
          email,
          password,
          password_confirmation: password,
          language: accountLanguages[getLanguage()],
          ...(server.terms_url === null ? {} : { agree_to_terms: hasAgreed }),
          ...(code === '' ? {} : { administrator_code: code }),
          ...(invitation ? { invitation: invitation.token } : {}),
        },
      });
      endDraft();
      const session = await bodyOf(api.POST('/api/tokens', { body: { user: { email, password } } })).catch(
        (error: unknown) => {
          // Not confirmed yet.
          if (error instanceof ApiError && error.status === 403) return null;
          throw error;
        },
      );
      if (session) {
        // The account is created without it, too.
        await storeOwnZone(session).catch(() => undefined);
        await onSession(session);
      } else {
        noteSignUp(email);
        setSent(true);
      }
    });
  if (isSent)
    return (
      <Card title={server.sends_mail ? text.checkMail : text.openLink}>
        <Notice tone="success">
          <p>{(server.sends_mail ? text.sentTo : text.writtenFor)(email)}</p>
          {invitation?.garden === undefined ? null : <p>{text.thenJoin(invitation.garden)}</p>}
        </Notice>
        <ResendButton email={email} />
      </Card>
    );
  return (
    <>
      {beginning}
      <Card>
        <Form
          onSubmit={create}
          submit={text.createAccount}
          submission={submission}
          fields={['name', 'email', 'password', 'password_confirmation', 'administrator_code', 'terms_of_service']}
        >
          <TextField
            label={sharedLabels().name}
            name="name"
            autoComplete="name"
            value={draft.name}
            onChange={(name) => setDraft({ ...draft, name })}
            problem={problems.name}
            isRequired
            autoFocus
          />
          <EmailField
            value={email}
            onChange={(value) => setDraft({ ...draft, email: value })}
            problem={problems.email}
            isDisabled={invitation !== undefined}
          />
          <NewPasswordField
            label={sharedLabels().password}
            value={password}
            onChange={setPassword}
            problem={problems.password}
            own={[draft.name, email]}
          />
          {server.needs_code ? (
            <TextField
              label={text.code}
              name="administrator_code"
              autoComplete="off"
              hint={server.sign_up === 'open' ? text.codeHintOpen : text.codeHintClosed}
              value={code}
              onChange={setCode}
              problem={problems.administrator_code}
              isRequired={server.sign_up === 'closed'}
            />
          ) : null}
          <TermsField isSelected={hasAgreed} onChange={setAgreed} problem={problems.terms_of_service} />
          <SharedComputerField />
          {note}
        </Form>
      </Card>
    </>
  );
}
