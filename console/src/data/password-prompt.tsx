import { useState, useSyncExternalStore } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/fields.tsx';
import { Form } from '../ui/page.tsx';
import { onQuestion, openQuestion, type PasswordQuestion } from './confirmation.ts';
import { dataText } from './text.ts';

/** Asks for the password where a request needs it again; once a frame. */
export function PasswordPrompt() {
  const question = useSyncExternalStore(onQuestion, openQuestion);
  return (
    <Dialog title={dataText().confirm} isOpen={question !== null} onClose={() => question?.answer(null)}>
      {question ? <PasswordForm question={question} /> : null}
    </Dialog>
  );
}

function PasswordForm({ question }: { readonly question: PasswordQuestion }) {
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
