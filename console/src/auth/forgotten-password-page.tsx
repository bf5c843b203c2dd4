import { Link } from '@tanstack/react-router';
import { api } from '../data/api.ts';
import { useServer } from '../data/server.ts';
import { Page } from '../ui/page.tsx';
import styles from './auth.module.css';
import { LinkRequest } from './link-request.tsx';
import { authText } from './text.ts';

/** Asks for the link with which a new password is chosen. */
export function ForgottenPasswordPage() {
  const text = authText();
  const { sends_mail } = useServer();
  return (
    <Page title={text.resetPassword} width="narrow">
      <p>{text.resetText}</p>
      <LinkRequest
        button={text.sendLink}
        send={async (email) => {
          await api.POST('/api/password_resets', { body: { email } });
          return (sends_mail ? text.resetSentTo : text.resetWrittenFor)(email);
        }}
      />
      <ul className={styles.links}>
        <li>
          <Link to="/sign-in">{text.backToSignIn}</Link>
        </li>
      </ul>
    </Page>
  );
}
