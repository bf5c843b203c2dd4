import { type ReactNode, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { ShownOnce } from '../ui/copyable.tsx';
import { useDraft } from '../ui/draft.ts';
import { Entries, Entry } from '../ui/entries.tsx';
import { TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Card } from '../ui/page.tsx';
import { type Submission, useSubmission } from '../ui/submission.ts';
import { showToast } from '../ui/toasts.tsx';
import { attempt, confirmed, type Proof } from './confirmation.ts';
import { useFormatTime } from './garden-time.ts';
import { invitationText } from './invitation-text.ts';
import { sharedLabels } from './shared-labels.ts';
import { shownAddress } from './shown-address.ts';

interface Invitation {
  readonly id: number;
  readonly email: string;
  readonly expires_at: string;
}

export interface InvitationFormProps<I extends Invitation, T extends { readonly email: string }> {
  readonly title: string;
  readonly hint: string;
  /** The fields of a new invitation. */
  readonly empty: T;
  /** Names the draft. */
  readonly draft: string;
  /** The open invitations. */
  readonly invitations: readonly I[];
  /** Text of an open invitation beside its address. */
  readonly detailOf?: (invitation: I) => string;
  /** Fields besides the address, named as in `empty`. */
  readonly children?: (typed: T, set: (typed: T) => void, submission: Submission) => ReactNode;
  /** Sends an invitation. The answer has its link where the server sends no mail. */
  readonly invite: (typed: T & Proof) => Promise<{ readonly email: string; readonly link?: string }>;
  readonly withdraw: (id: number, proof: Proof) => Promise<unknown>;
  readonly reload: () => Promise<unknown>;
}

/** Invites a person by an e-mail address, and lists the open invitations. */
export function InvitationForm<I extends Invitation, T extends { readonly email: string }>({
  title,
  hint,
  empty,
  draft,
  invitations,
  detailOf,
  children,
  ...requests
}: InvitationFormProps<I, T>) {
  const text = invitationText();
  const formatTime = useFormatTime();
  const submission = useSubmission();
  const [typed, setTyped, endDraft] = useDraft(draft, empty);
  const [link, setLink] = useState<string | null>(null);
  const invite = async (): Promise<void> => {
    const isDone = await submission.run(async () => {
      const made = await confirmed((proof) => requests.invite({ ...typed, email: typed.email.trim(), ...proof }));
      if (made.link === undefined) showToast({ text: text.sent(made.email) });
      else setLink(shownAddress(made.link));
    });
    if (!isDone) return;
    endDraft(empty);
    await requests.reload();
  };
  const withdraw = (id: number): Promise<boolean> =>
    attempt(async () => {
      await confirmed((proof) => requests.withdraw(id, proof));
      showToast({ text: text.withdrawn });
      await requests.reload();
    });
  return (
    <>
      <Card title={title}>
        <Form onSubmit={invite} submit={text.send} submission={submission} fields={Object.keys(empty)}>
          <p>{hint}</p>
          <TextField
            label={sharedLabels().email}
            type="email"
            value={typed.email}
            onChange={(email) => setTyped({ ...typed, email })}
            problem={submission.problems.email}
            isRequired
          />
          {children?.(typed, setTyped, submission)}
        </Form>
        <ShownOnce label={text.link} hint={text.linkHint} value={link} onClose={() => setLink(null)} />
      </Card>
      <Card title={text.open}>
        {invitations.length === 0 ? (
          <p>{text.none}</p>
        ) : (
          <Entries label={text.open}>
            {invitations.map((invitation) => (
              <Entry
                key={invitation.id}
                title={invitation.email}
                details={[detailOf?.(invitation) ?? null, text.validUntil(formatTime(invitation.expires_at))]}
                controls={
                  <Button aria-label={text.withdrawOf(invitation.email)} onPress={() => void withdraw(invitation.id)}>
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
