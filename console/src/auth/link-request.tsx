import { useState } from 'react';
import { Form } from '../ui/form.tsx';
import { Card, Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { EmailField } from './credential-fields.tsx';

export interface LinkRequestProps {
  readonly title?: string;
  readonly button: string;
  readonly initial?: string;
  /** Asks for the mail; returns the message that the page then shows. */
  readonly send: (email: string) => Promise<string>;
}

/** A form that sends a mail with a link to an address. */
export function LinkRequest({ title, button, initial = '', send }: LinkRequestProps) {
  const [email, setEmail] = useState(initial);
  const [answer, setAnswer] = useState('');
  const submission = useSubmission({ email });
  return (
    <Card title={title}>
      <Form
        onSubmit={() =>
          void submission.run(async () => {
            setAnswer('');
            setAnswer(await send(email));
          })
        }
        submit={button}
        submission={submission}
        fields={['email']}
      >
        {answer ? <Notice tone="success">{answer}</Notice> : null}
        <EmailField value={email} onChange={setEmail} problem={submission.problems.email} />
      </Form>
    </Card>
  );
}
