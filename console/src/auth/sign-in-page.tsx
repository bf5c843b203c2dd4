import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { ApiError } from '../data/api-error.ts';
import { maySignUp, useServer } from '../data/server.ts';
import { getSession, hasSessionEnded } from '../data/session.ts';
import { useDraft } from '../ui/draft.ts';
import { Form } from '../ui/form.tsx';
import { Card, Notice, Page } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import styles from './auth.module.css';
import { EmailField, PasswordField, SharedComputerField, TermsField } from './credential-fields.tsx';
import { ResendButton } from './resend-button.tsx';
import { useSignIn } from './sign-in.ts';
import { authText } from './text.ts';

const signInRoute = getRouteApi('/public/sign-in');

/** Sign-in, also with agreement to new terms of service. */
export function SignInPage() {
  const text = authText();
  const server = useServer();
  const { next, terms } = signInRoute.useSearch();
  const completeSignIn = useSignIn();
  const [email, setEmail, endDraft] = useDraft('sign-in', getSession()?.user.email ?? '');
  const [password, setPassword] = useState('');
  // The second proof that the last attempt needed besides the password.
  const [lacking, setLacking] = useState<'terms' | 'confirmation' | null>(terms ? 'terms' : null);
  const [hasAgreed, setAgreed] = useState(false);
  const submission = useSubmission({ email, password, hasAgreed });
  const { problems } = submission;
  const asksTerms = lacking === 'terms' && server.terms_url !== null;
  const signIn = () =>
    submission.run(async () => {
      try {
        const user = { email, password, ...(asksTerms ? { agree_to_terms: hasAgreed } : {}) };
        const session = await bodyOf(api.POST('/api/tokens', { body: { user } }));
        endDraft();
        await completeSignIn(session, next);
      } catch (error) {
        const status = error instanceof ApiError ? error.status : 0;
        setLacking(status === 451 ? 'terms' : status === 403 ? 'confirmation' : null);
        throw error;
      }
    });
  return (
    <Page title={asksTerms ? text.newTerms : text.signIn} width="narrow">
      {asksTerms ? <p>{text.newTermsText}</p> : null}
      {hasSessionEnded() ? <Notice tone="warn">{text.sessionEnded}</Notice> : null}
      {terms && !asksTerms ? <Notice>{text.noTerms}</Notice> : null}
      <Card>
        <Form
          onSubmit={signIn}
          submit={asksTerms ? text.agreeAndContinue : text.signIn}
          submission={submission}
          fields={['email', 'password', 'terms_of_service']}
        >
          {lacking === 'confirmation' ? <ResendButton email={email} /> : null}
          <EmailField value={email} onChange={setEmail} problem={problems.email} autoFocus={email === ''} />
          <PasswordField value={password} onChange={setPassword} problem={problems.password} autoFocus={email !== ''} />
          {asksTerms ? (
            <TermsField isSelected={hasAgreed} onChange={setAgreed} problem={problems.terms_of_service} />
          ) : null}
          <SharedComputerField />
        </Form>
      </Card>
      <ul className={styles.links}>
        <li>
          <Link to="/forgotten-password">{text.forgot}</Link>
        </li>
        {maySignUp(server) ? (
          <li>
            {text.newHere} <Link to="/sign-up">{text.createAccount}</Link>
          </li>
        ) : null}
        {server.demo_gardens ? (
          <li>
            <Link to="/demo">{text.tryDemo}</Link>
          </li>
        ) : null}
      </ul>
    </Page>
  );
}
