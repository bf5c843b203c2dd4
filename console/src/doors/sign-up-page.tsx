import { Link } from '@tanstack/react-router';
import { maySignUp, useServer } from '../data/server.ts';
import { Notice, Page } from '../ui/page.tsx';
import { AccountForm } from './account-form.tsx';
import styles from './doors.module.css';
import { useEntrance } from './entrance.ts';
import { doorText } from './text.ts';

/** Makes an account, where that is possible. */
export function SignUpPage() {
  const text = doorText();
  const enter = useEntrance();
  const isOpen = maySignUp(useServer());
  return (
    <Page title={text.signUp} width="narrow">
      {isOpen ? <AccountForm onSession={(session) => enter(session)} /> : <Notice tone="warn">{text.closed}</Notice>}
      <ul className={styles.links}>
        <li>
          {text.haveAccount} <Link to="/sign-in">{text.signIn}</Link>
        </li>
      </ul>
    </Page>
  );
}
