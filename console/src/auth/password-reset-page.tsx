import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { ApiError } from '../data/api-error.ts';
import { useServer } from '../data/server.ts';
import { Form } from '../ui/form.tsx';
import { NewPasswordField } from '../ui/new-password-field.tsx';
import { Card, Notice, Page } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { SharedComputerField } from './credential-fields.tsx';
import { LinkRequest } from './link-request.tsx';
import { addressOf, useLinkToken } from './link-token.ts';
import { useSignIn } from './sign-in.ts';
import { authText } from './text.ts';

const isDeadLink = ({ status, fields }: ApiError): boolean =>
  [401, 404, 422].includes(status) && fields.password === undefined;

/** The form for a new password with the secret of a link. `help` is shown when the link cannot be used. */
function ResetForm({ button, help }: { readonly button: string; readonly help: (token: string) => ReactNode }) {
  const text = authText();
  const completeSignIn = useSignIn();
  const router = useRouter();
  const [token, removeToken] = useLinkToken('reset');
  const [password, setPassword] = useState('');
  const [isDead, setDead] = useState(false);
  const submission = useSubmission({ password });
  const reset = () =>
    submission.run(async () => {
      try {
        const body = { id: token, password, password_confirmation: password };
        const session = await bodyOf(api.PATCH('/api/password_resets', { body }));
        removeToken();
        await completeSignIn(session);
      } catch (error) {
        if (error instanceof ApiError && error.status === 451) {
          // The password is set, but the new terms are not yet accepted.
          removeToken();
          await router.navigate({ to: '/sign-in', search: { terms: true } });
          return;
        }
        // The link was used, has expired or is incomplete, unless only the password is refused.
        setDead(error instanceof ApiError && isDeadLink(error));
        throw error;
      }
    });
  if (token === '')
    return (
      <>
        <Notice tone="warn">{text.incomplete}</Notice>
        {help('')}
      </>
    );
  return (
    <>
      <Card>
        <Form onSubmit={reset} submit={button} submission={submission} fields={['password', 'password_confirmation']}>
          <NewPasswordField
            label={text.newPassword}
            value={password}
            onChange={setPassword}
            problem={submission.problems.password}
            own={[addressOf(token)]}
            autoFocus
          />
          <SharedComputerField />
        </Form>
      </Card>
      {isDead ? help(token) : null}
    </>
  );
}

/** Chooses a new password with the link that was mailed for it. */
export function PasswordResetPage() {
  const text = authText();
  const { sends_mail } = useServer();
  return (
    <Page title={text.chooseNew} width="narrow">
      <p>{text.othersSignedOut}</p>
      <ResetForm
        button={text.setPassword}
        help={(token) => (
          <LinkRequest
            title={token === '' ? text.askForLink : text.linkExpired}
            button={text.sendAnother}
            initial={addressOf(token)}
            send={async (email) => {
              await api.POST('/api/password_resets', { body: { email } });
              return (sends_mail ? text.resetSentTo : text.resetWrittenFor)(email);
            }}
          />
        )}
      />
    </Page>
  );
}

/** For the owner of an account whose e-mail address another person changed. */
export function TakeBackPage() {
  const text = authText();
  return (
    <Page title={text.keepAddress} width="narrow">
      <p>
        {text.keepAddressText} {text.othersSignedOut}
      </p>
      <ResetForm button={text.keepMine} help={() => <Notice>{text.keepAddressHelp}</Notice>} />
    </Page>
  );
}
