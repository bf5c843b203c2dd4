import { Suspense } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { later } from '../ui/later.ts';
import { useStore } from '../ui/store.ts';
import { openQuestion } from './confirmation.ts';
import { dataText } from './text.ts';

const PasswordForm = later(async () => (await import('./password-form.tsx')).PasswordForm);

/** Asks for the password where a request needs it again; once a frame. */
export function PasswordPrompt() {
  const question = useStore(openQuestion);
  return (
    <Dialog title={dataText().confirm} isOpen={question !== null} onClose={() => question?.answer(null)}>
      {question ? (
        <Suspense>
          <PasswordForm question={question} />
        </Suspense>
      ) : null}
    </Dialog>
  );
}
