import { useNavigate, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { setSession } from '../data/session.ts';
import { Button } from '../ui/button.tsx';
import { useDraft } from '../ui/draft.ts';
import { TextField } from '../ui/fields.tsx';
import { Card, Form, Notice, Page } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { signInRoute } from './routes.ts';
import { accountText } from './text.ts';

/** An address of the console; anything else would lead away. */
const isOwn = (address: string | undefined): address is string => /^\/(?![/\\])/.test(address ?? '');

export function SignInPage() {
  const text = accountText();
  const { next } = signInRoute.useSearch();
  const navigate = useNavigate();
  const router = useRouter();
  const [email, setEmail, endDraft] = useDraft('sign-in', '');
  const [password, setPassword] = useState('');
  const submission = useSubmission();
  const signIn = async (): Promise<void> => {
    const isDone = await submission.run(async () =>
      setSession(await bodyOf(api.POST('/api/tokens', { body: { user: { email, password } } }))),
    );
    if (!isDone) return;
    endDraft();
    if (isOwn(next)) router.history.replace(`/console${next}`);
    else await navigate({ to: '/map', replace: true });
  };
  const rest = submission.rest('email', 'password');
  return (
    <Page title={text.signIn} width="narrow">
      <Card>
        <Form
          onSubmit={() => void signIn()}
          actions={
            <Button tone="primary" type="submit" isDisabled={submission.isPending}>
              {text.signIn}
            </Button>
          }
        >
          {rest ? <Notice tone="danger">{rest}</Notice> : null}
          <TextField
            label={text.email}
            type="email"
            name="email"
            autoComplete="username"
            value={email}
            onChange={setEmail}
            problem={submission.problems.email}
            isRequired
            autoFocus
          />
          <TextField
            label={text.password}
            type="password"
            name="password"
            autoComplete="current-password"
            value={password}
            onChange={setPassword}
            problem={submission.problems.password}
            isRequired
          />
        </Form>
      </Card>
    </Page>
  );
}
