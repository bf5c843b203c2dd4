import { Link } from '@tanstack/react-router';
import { maySignUp, useServer } from '../data/server.ts';
import { Notice, Page } from '../ui/page.tsx';
import { AccountForm } from './account-form.tsx';
import styles from './auth.module.css';
import { useSignIn } from './sign-in.ts';
import { authText } from './text.ts';

/** Creates an account, where that is possible. */
export function SignUpPage() {
  const text = authText();
  const completeSignIn = useSignIn();
  const isOpen = maySignUp(useServer());
  return (
    <Page title={text.signUp} width="narrow">
      {isOpen ? (
        <AccountForm onSession={(session) => completeSignIn(session)} />
      ) : (
        <Notice tone="warn">{text.closed}</Notice>
      )}
      <ul className={styles.links}>
        <li>
          {text.haveAccount} <Link to="/sign-in">{text.signIn}</Link>
        </li>
      </ul>
    </Page>
  );
}
