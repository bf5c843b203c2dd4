import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  accountLanguages,
  defaultLanguage,
  languageLabels,
  languages,
  namedLanguage,
} from '../../../src/core/languages.ts';
import { api, bodyOf } from '../data/api.ts';
import { confirmedApi } from '../data/confirmation.ts';
import { keptThrough } from '../data/resumption.ts';
import { getSession } from '../data/session.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { useGarden } from '../data/singles.ts';
import { boundFields } from '../ui/bound-fields.ts';
import { useStoredDraft } from '../ui/draft.ts';
import { Select, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Meanwhile, plainWords } from '../ui/meanwhile.tsx';
import { NewPasswordField } from '../ui/new-password-field.tsx';
import { Card, Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { showToast } from '../ui/toasts.tsx';
import { partsText } from './parts-text.ts';
import { accountQueries, reloadAccount } from './queries.ts';

/** Name, e-mail address and password. */
export function Profile() {
  const text = partsText();
  const users = useSuspenseQuery(accountQueries.users).data;
  const user = users.find(({ id }) => id === getSession()?.user.id);
  const mayChange = useGarden().role === 'owner' && user !== undefined;
  return (
    <>
      {mayChange ? null : (
        <Notice tone="warn">
          {text.otherGarden}{' '}
          <Link to="/account" search={{ part: 'gardens' }}>
            {text.toGardens}
          </Link>
        </Notice>
      )}
      {user ? <Identity key={user.id} user={user} isDisabled={!mayChange} /> : null}
      <Password own={user ? [user.name ?? '', user.email] : []} isDisabled={!mayChange} />
    </>
  );
}

interface IdentityProps {
  readonly user: { readonly name: string | null; readonly email: string; readonly language: string | null };
  readonly isDisabled: boolean;
}

function Identity({ user, isDisabled }: IdentityProps) {
  const text = partsText();
  const language = namedLanguage(user.language ?? '') ?? defaultLanguage;
  const draft = useStoredDraft('account', { name: user.name ?? '', email: user.email, language });
  const { value: typed } = draft;
  const submission = useSubmission(typed);
  const field = boundFields(typed, draft.set, submission.problems);
  const save = async (): Promise<void> => {
    const changesAddress = typed.email.trim().toLowerCase() !== user.email;
    const { name, language: chosen } = draft.changes;
    const update = {
      ...(name !== undefined && { name }),
      ...(chosen && { language: accountLanguages[chosen] }),
      ...(changesAddress && { email: typed.email.trim() }),
    };
    let email = user.email;
    const isDone = await submission.run(async () => {
      ({ email } = await bodyOf(confirmedApi.PATCH('/api/users', { body: update })));
    });
    if (!isDone) return;
    await reloadAccount();
    draft.end();
    // Without a mail server the new address is valid without a confirmation.
    const isChanged = email !== user.email;
    showToast({ text: isChanged ? text.emailChanged(email) : changesAddress ? text.emailSent : text.saved });
  };
  return (
    <Card title={text.parts.profile}>
      <Form
        onSubmit={save}
        submit={text.save}
        submission={submission}
        fields={['name', 'email', 'language']}
        isReadOnly={isDisabled}
      >
        <Meanwhile
          draft={draft}
          submission={submission}
          fields={{
            name: [sharedLabels().name, plainWords],
            email: [sharedLabels().email, plainWords],
            language: [text.mailLanguage, (value) => languageLabels[value]],
          }}
        >
          <TextField label={sharedLabels().name} autoComplete="name" {...field('name')} />
          <TextField
            label={sharedLabels().email}
            type="email"
            autoComplete="email"
            hint={text.emailHint}
            {...field('email')}
            isRequired
          />
          <Select
            label={text.mailLanguage}
            {...field('language')}
            choices={languages.map((value) => ({ value, label: languageLabels[value] }))}
          />
        </Meanwhile>
      </Form>
    </Card>
  );
}

const noPasswords = { password: '', new_password: '', new_password_confirmation: '' };

function Password({ own, isDisabled }: { readonly own: readonly string[]; readonly isDisabled: boolean }) {
  const text = partsText();
  // Passwords are kept nowhere, not even as a draft.
  const [typed, setTyped] = useState(noPasswords);
  const submission = useSubmission(typed);
  const save = async (): Promise<void> => {
    const change = () => submission.run(() => api.PATCH('/api/users', { body: typed }));
    if (!(await keptThrough(getSession(), change))) return;
    setTyped(noPasswords);
    showToast({ text: text.passwordChanged });
  };
  const field = boundFields(typed, setTyped, submission.problems);
  const known = { type: 'password', isRequired: true } as const;
  return (
    <Card title={text.password}>
      <Form
        onSubmit={save}
        submit={text.changePassword}
        tone="plain"
        submission={submission}
        fields={Object.keys(noPasswords)}
        isReadOnly={isDisabled}
      >
        <p>{text.passwordHint}</p>
        <TextField {...known} label={text.currentPassword} autoComplete="current-password" {...field('password')} />
        <NewPasswordField label={text.newPassword} own={own} {...field('new_password')} />
        <TextField
          {...known}
          label={text.repeatPassword}
          autoComplete="new-password"
          {...field('new_password_confirmation')}
        />
      </Form>
    </Card>
  );
}
