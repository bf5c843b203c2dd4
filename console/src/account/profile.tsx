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
import { confirmed } from '../data/confirmation.ts';
import { getSession } from '../data/session.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { useGarden } from '../data/singles.ts';
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
  const submission = useSubmission();
  const language = namedLanguage(user.language ?? '') ?? defaultLanguage;
  const draft = useStoredDraft('account', { name: user.name ?? '', email: user.email, language });
  const { value: typed } = draft;
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
      ({ email } = await bodyOf(confirmed((proof) => api.PATCH('/api/users', { body: { ...update, ...proof } }))));
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
        isDisabled={isDisabled}
      >
        <TextField
          label={sharedLabels().name}
          name="name"
          autoComplete="name"
          value={typed.name}
          onChange={(name) => draft.set({ ...typed, name })}
          problem={submission.problems.name}
          isDisabled={isDisabled}
        />
        <TextField
          label={sharedLabels().email}
          type="email"
          name="email"
          autoComplete="email"
          hint={text.emailHint}
          value={typed.email}
          onChange={(email) => draft.set({ ...typed, email })}
          problem={submission.problems.email}
          isRequired
          isDisabled={isDisabled}
        />
        <Select
          label={text.mailLanguage}
          value={typed.language}
          choices={languages.map((value) => ({ value, label: languageLabels[value] }))}
          onChange={(chosen) => draft.set({ ...typed, language: chosen })}
          problem={submission.problems.language}
          isDisabled={isDisabled}
        />
        <Meanwhile
          draft={draft}
          submission={submission}
          fields={{
            name: [sharedLabels().name, plainWords],
            email: [sharedLabels().email, plainWords],
            language: [text.mailLanguage, (value) => languageLabels[value]],
          }}
        />
      </Form>
    </Card>
  );
}

const noPasswords = { password: '', new_password: '', new_password_confirmation: '' };

function Password({ own, isDisabled }: { readonly own: readonly string[]; readonly isDisabled: boolean }) {
  const text = partsText();
  const submission = useSubmission();
  // Passwords are kept nowhere, not even as a draft.
  const [typed, setTyped] = useState(noPasswords);
  const save = async (): Promise<void> => {
    if (!(await submission.run(() => api.PATCH('/api/users', { body: typed })))) return;
    setTyped(noPasswords);
    showToast({ text: text.passwordChanged });
  };
  const field = (name: keyof typeof noPasswords, label: string, autoComplete: string) => (
    <TextField
      label={label}
      type="password"
      name={name}
      autoComplete={autoComplete}
      value={typed[name]}
      onChange={(value) => setTyped({ ...typed, [name]: value })}
      problem={submission.problems[name]}
      isRequired
      isDisabled={isDisabled}
    />
  );
  return (
    <Card title={text.password}>
      <Form
        onSubmit={save}
        submit={text.changePassword}
        tone="plain"
        submission={submission}
        fields={Object.keys(noPasswords)}
        isDisabled={isDisabled}
      >
        <p>{text.passwordHint}</p>
        {field('password', text.currentPassword, 'current-password')}
        <NewPasswordField
          label={text.newPassword}
          name="new_password"
          value={typed.new_password}
          onChange={(new_password) => setTyped({ ...typed, new_password })}
          problem={submission.problems.new_password}
          own={own}
          isDisabled={isDisabled}
        />
        {field('new_password_confirmation', text.repeatPassword, 'new-password')}
      </Form>
    </Card>
  );
}
