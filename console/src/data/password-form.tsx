import { useState } from 'react';
import { TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import type { PasswordQuestion } from './confirmation.ts';
import { dataText } from './text.ts';

/** The form of the password prompt. */
export function PasswordForm({ question }: { readonly question: PasswordQuestion }) {
  const text = dataText();
  const [password, setPassword] = useState('');
  return (
    <Form onSubmit={() => question.answer(password)} submit={text.continue} isDisabled={password === ''}>
      <p>{text.confirmHint}</p>
      <TextField
        label={text.password}
        type="password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        problem={question.problem}
        isRequired
        autoFocus
      />
    </Form>
  );
}
