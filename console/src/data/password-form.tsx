import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields.tsx';
import { Form } from '../ui/page.tsx';
import type { PasswordQuestion } from './confirmation.ts';
import { dataText } from './text.ts';

/** Answers a question for the password. */
export function PasswordForm({ question }: { readonly question: PasswordQuestion }) {
  const text = dataText();
  const [password, setPassword] = useState('');
  return (
    <Form
      onSubmit={() => question.answer(password)}
      actions={
        <>
          <Button tone="primary" type="submit" isDisabled={password === ''}>
            {text.continue}
          </Button>
          <Button onPress={() => question.answer(null)}>{text.cancel}</Button>
        </>
      }
    >
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
