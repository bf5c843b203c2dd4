import { type ReactNode, useState } from 'react';
import { api } from '../data/api.ts';
import { setSession } from '../data/session.ts';
import { useGarden, useGardens } from '../data/singles.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Card, Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { showToast } from '../ui/toasts.tsx';
import styles from './account.module.css';
import { partsText } from './parts-text.ts';

/** Deletion of a garden or an account, each with the password. */
export function End() {
  const text = partsText();
  const garden = useGarden();
  if (garden.role !== 'owner') return <Notice>{text.onlyOwnersChange}</Notice>;
  return (
    <>
      <Card title={text.reset}>
        <p>{text.resetHint}</p>
        <PasswordButton
          word={text.resetConfirm}
          title={text.resetTitle}
          hint={text.resetHint}
          onSend={async (password) => {
            await api.POST('/api/device/reset', { body: { password } });
            showToast({ text: text.resetStarted });
          }}
        />
      </Card>
      <DeleteAccount />
    </>
  );
}

function DeleteAccount() {
  const text = partsText();
  const others = useGardens().filter(({ role, is_home }) => role === 'owner' && !is_home);
  const [gardens, setGardens] = useState<readonly number[]>([]);
  return (
    <Card title={text.deleteAccount}>
      <p>{text.deleteHint}</p>
      <PasswordButton
        word={text.deleteConfirm}
        title={text.deleteTitle}
        hint={text.deleteHint}
        onSend={async (password) => {
          await api.DELETE('/api/users', { body: { password, ...(gardens.length > 0 && { gardens: [...gardens] }) } });
          showToast({ text: text.deleteStarted });
          setSession(null);
        }}
      >
        {others.length > 0 ? (
          <fieldset className={styles.group}>
            <legend>{text.deleteGardens}</legend>
            {others.map(({ id, name }) => (
              <Checkbox
                key={id}
                label={name}
                isSelected={gardens.includes(id)}
                onChange={(isOn) => setGardens(isOn ? [...gardens, id] : gardens.filter((each) => each !== id))}
              />
            ))}
          </fieldset>
        ) : null}
      </PasswordButton>
    </Card>
  );
}

interface PasswordButtonProps {
  /** The label, also of the button that confirms it. */
  readonly word: string;
  readonly title: string;
  /** The consequence. */
  readonly hint: string;
  readonly onSend: (password: string) => Promise<void>;
  /** More fields. */
  readonly children?: ReactNode;
}

/** A button for an action that needs the password, however recent the sign-in is. */
function PasswordButton({ word, title, hint, onSend, children }: PasswordButtonProps) {
  const text = partsText();
  const [isOpen, setOpen] = useState(false);
  const [password, setPassword] = useState('');
  const submission = useSubmission({ password });
  const close = (): void => {
    setOpen(false);
    setPassword('');
  };
  const send = async (): Promise<void> => {
    if (await submission.run(() => onSend(password))) close();
  };
  return (
    <div>
      <Button tone="danger" onPress={() => setOpen(true)}>
        {word}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={close} isAlert>
        <Form
          onSubmit={send}
          submit={word}
          tone="danger"
          submission={submission}
          fields={['password']}
          isDisabled={password === ''}
        >
          <p>{hint}</p>
          {children}
          <TextField
            label={text.currentPassword}
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={setPassword}
            problem={submission.problems.password}
            isRequired
            autoFocus
          />
        </Form>
      </Dialog>
    </div>
  );
}
