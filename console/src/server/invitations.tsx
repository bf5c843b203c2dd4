import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { attempt, confirmed } from '../data/confirmation.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { Button } from '../ui/button.tsx';
import { ShownOnce } from '../ui/copyable.tsx';
import { useDraft } from '../ui/draft.ts';
import { Entries, Entry } from '../ui/entries.tsx';
import { TextField } from '../ui/fields.tsx';
import { Card, Form, Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { showToast } from '../ui/toasts.tsx';
import { reloadServer, serverQueries } from './queries.ts';
import { serverText } from './text.ts';

/** Invitations to make an account on this server. */
export function Invitations() {
  const text = serverText();
  const formatTime = useFormatTime();
  const invitations = useSuspenseQuery(serverQueries.invitations).data;
  const submission = useSubmission();
  const [email, setEmail, endDraft] = useDraft('server-invitation', '');
  const [link, setLink] = useState<string | null>(null);
  const invite = async (): Promise<void> => {
    const isDone = await submission.run(async () => {
      const made = await confirmed((proof) =>
        bodyOf(api.POST('/api/admin/invitations', { body: { email: email.trim(), ...proof } })),
      );
      if (made.link === undefined) showToast({ text: text.invited(made.email) });
      else setLink(made.link);
    });
    if (!isDone) return;
    setEmail('');
    endDraft();
    await reloadServer();
  };
  const withdraw = (id: number): Promise<boolean> =>
    attempt(async () => {
      await confirmed((body) => api.DELETE('/api/admin/invitations/{id}', { params: { path: { id } }, body }));
      await reloadServer();
    });
  const rest = submission.rest('email');
  return (
    <>
      <Card title={text.invite}>
        <Form
          onSubmit={() => void invite()}
          actions={
            <Button tone="primary" type="submit" isDisabled={submission.isPending}>
              {text.send}
            </Button>
          }
        >
          <p>{text.inviteHint}</p>
          {rest ? <Notice tone="danger">{rest}</Notice> : null}
          <TextField
            label={text.email}
            type="email"
            value={email}
            onChange={setEmail}
            problem={submission.problems.email}
            isRequired
          />
        </Form>
        <ShownOnce label={text.link} hint={text.linkHint} value={link} onClose={() => setLink(null)} />
      </Card>
      <Card title={text.open}>
        {invitations.length === 0 ? (
          <p>{text.noInvitations}</p>
        ) : (
          <Entries label={text.open}>
            {invitations.map(({ id, email: address, expires_at }) => (
              <Entry
                key={id}
                title={address}
                details={[text.validUntil(formatTime(expires_at))]}
                controls={
                  <Button aria-label={text.withdrawOf(address)} onPress={() => void withdraw(id)}>
                    {text.withdraw}
                  </Button>
                }
              />
            ))}
          </Entries>
        )}
      </Card>
    </>
  );
}
