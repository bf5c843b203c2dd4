import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf } from '../data/api.ts';
import { confirmedApi } from '../data/confirmation.ts';
import { useFormatTime, useZone } from '../data/garden-time.ts';
import type { components } from '../data/generated/api.ts';
import { momentOf } from '../data/zoned-days.ts';
import { boundFields } from '../ui/bound-fields.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { ShownOnce } from '../ui/copyable.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { useDraft } from '../ui/draft.ts';
import { Entries, Entry } from '../ui/entries.tsx';
import { Checkbox, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Card, EmptyState, Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import styles from './account.module.css';
import { partsText } from './parts-text.ts';
import { accountQueries, changeAccount, reloadAccount } from './queries.ts';

type PersonalToken = components['schemas']['PersonalToken'];
type Scope = PersonalToken['scopes'][number];

/** Tokens for scripts. */
export function Tokens() {
  const text = partsText();
  const formatTime = useFormatTime();
  const tokens = useSuspenseQuery(accountQueries.tokens).data;
  const [renamed, setRenamed] = useState<PersonalToken | null>(null);
  const revoke = ({ id, name }: PersonalToken): Promise<boolean> =>
    changeAccount(
      () => confirmedApi.DELETE('/api/personal_tokens/{id}', { params: { path: { id } } }),
      text.revoked(name),
    );
  return (
    <>
      <Card title={text.parts.tokens}>
        <p>{text.tokensHint}</p>
        <Entries label={text.parts.tokens} empty={<EmptyState title={text.noTokens} />}>
          {tokens.map((token) => (
            <Entry
              key={token.id}
              title={token.name}
              details={[
                token.scopes.map((scope) => text.scopeNames[scope]).join(', '),
                token.expires_at ? text.validUntil(formatTime(token.expires_at)) : text.validForever,
                text.lastUsed(token.last_used_at ? formatTime(token.last_used_at) : text.never),
              ]}
              controls={
                <>
                  <Button aria-label={text.renameOf(token.name)} onPress={() => setRenamed(token)}>
                    {text.rename}
                  </Button>
                  <ConfirmButton
                    word={text.revoke}
                    label={text.revokeOf(token.name)}
                    title={text.revokeTitle(token.name)}
                    hint={text.revokeHint}
                    onConfirm={() => void revoke(token)}
                  />
                </>
              }
            />
          ))}
        </Entries>
      </Card>
      <NewToken />
      <Dialog title={text.renameOf(renamed?.name ?? '')} isOpen={renamed !== null} onClose={() => setRenamed(null)}>
        {renamed ? <NameForm token={renamed} onDone={() => setRenamed(null)} /> : null}
      </Dialog>
    </>
  );
}

function NameForm({ token, onDone }: { readonly token: PersonalToken; readonly onDone: () => void }) {
  const text = partsText();
  const [name, setName, endDraft] = useDraft(`personal-token ${token.id}`, token.name);
  const submission = useSubmission({ name });
  const save = () =>
    submission.run(
      () => confirmedApi.PATCH('/api/personal_tokens/{id}', { params: { path: { id: token.id } }, body: { name } }),
      () => {
        endDraft();
        onDone();
        return reloadAccount();
      },
    );
  return (
    <Form onSubmit={save} submit={text.save} submission={submission} fields={['name']}>
      <TextField
        label={text.whatFor}
        value={name}
        onChange={setName}
        problem={submission.problems.name}
        maxLength={80}
        isRequired
        autoFocus
      />
    </Form>
  );
}

const empty = { name: '', scopes: ['read'] as readonly Scope[], day: '' };

function NewToken() {
  const text = partsText();
  const [typed, setTyped, endDraft] = useDraft('personal-token', empty);
  const submission = useSubmission(typed);
  const [shown, setShown] = useState<string | null>(null);
  const field = boundFields(typed, setTyped, submission.problems);
  const zone = useZone();
  const create = () =>
    submission.run(
      async () => {
        const { name, scopes, day } = typed;
        const expires_at = day === '' ? null : momentOf(day, '23:59:59', zone);
        const body = { name, scopes: [...scopes], expires_at };
        setShown((await bodyOf(confirmedApi.POST('/api/personal_tokens', { body }))).token);
      },
      () => {
        endDraft(empty);
        return reloadAccount();
      },
    );
  return (
    <Card title={text.newToken}>
      <Form onSubmit={create} submit={text.newToken} submission={submission} fields={['name', 'scopes', 'expires_at']}>
        <TextField label={text.whatFor} maxLength={80} isRequired {...field('name')} />
        <fieldset className={styles.group} data-invalid={submission.problems.scopes === undefined ? undefined : true}>
          <legend>{text.scopesTitle}</legend>
          {submission.problems.scopes ? <Notice tone="danger">{submission.problems.scopes}</Notice> : null}
          {(Object.keys(text.scopes) as Scope[]).map((scope) => (
            <Checkbox
              key={scope}
              label={
                <>
                  <strong>{text.scopeNames[scope]}</strong> · {text.scopes[scope]}
                </>
              }
              isSelected={typed.scopes.includes(scope)}
              onChange={(isOn) =>
                setTyped({
                  ...typed,
                  scopes: isOn ? [...typed.scopes, scope] : typed.scopes.filter((each) => each !== scope),
                })
              }
            />
          ))}
        </fieldset>
        <TextField label={text.ends} type="date" hint={text.endsHint} {...field('day', 'expires_at')} />
      </Form>
      <ShownOnce label={text.token} value={shown} onClose={() => setShown(null)} />
    </Card>
  );
}
