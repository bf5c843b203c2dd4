import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { OtherProblems } from '../ui/submission-problems.tsx';
import { authText } from './text.ts';

/** Sends the mail that confirms an address again. */
export function ResendButton({ email }: { readonly email: string }) {
  const [answer, setAnswer] = useState('');
  const submission = useSubmission();
  const resend = () =>
    submission.run(async () => {
      setAnswer('');
      const { user } = await bodyOf(api.POST('/api/users/resend_verification', { body: { email } }));
      setAnswer(user);
    });
  return (
    <>
      <Button onPress={() => void resend()} isDisabled={submission.isPending}>
        {authText().resend}
      </Button>
      <OtherProblems of={submission} />
      {answer ? <Notice>{answer}</Notice> : null}
    </>
  );
}
