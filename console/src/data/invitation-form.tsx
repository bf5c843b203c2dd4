import { type ReactNode, useState } from 'react';
import { boundFields } from '../ui/bound-fields.ts';
import { Button } from '../ui/button.tsx';
import { ShownOnce } from '../ui/copyable.tsx';
import { useDraft } from '../ui/draft.ts';
import { Entries, Entry } from '../ui/entries.tsx';
import { TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { catalog } from '../ui/language.ts';
import { Card } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { showToast } from '../ui/toasts.tsx';
import { changesWith } from './confirmation.ts';
import { useFormatTime } from './garden-time.ts';
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
  readonly children?: (typed: T, field: ReturnType<typeof boundFields<T>>) => ReactNode;
  /** Sends an invitation. The answer has its link where the server sends no mail. */
  readonly invite: (typed: T) => Promise<{ readonly email: string; readonly link?: string }>;
  readonly withdraw: (id: number) => Promise<unknown>;
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
  const [typed, setTyped, endDraft] = useDraft(draft, empty);
  const submission = useSubmission(typed);
  const field = boundFields(typed, setTyped, submission.problems);
  const [link, setLink] = useState<string | null>(null);
  const invite = () =>
    submission.run(
      async () => {
        const made = await requests.invite({ ...typed, email: typed.email.trim() });
        if (made.link === undefined) showToast({ text: text.sent(made.email) });
        else setLink(shownAddress(made.link));
      },
      () => {
        endDraft(empty);
        return requests.reload();
      },
    );
  const withdraw = (id: number) => changesWith(requests.reload)(() => requests.withdraw(id), text.withdrawn);
  return (
    <>
      <Card title={title}>
        <Form onSubmit={invite} submit={text.send} submission={submission} fields={Object.keys(empty)}>
          <p>{hint}</p>
          <TextField label={sharedLabels().email} type="email" isRequired {...field('email')} />
          {children?.(typed, field)}
        </Form>
        <ShownOnce label={text.link} hint={text.linkHint} value={link} onClose={() => setLink(null)} />
      </Card>
      <Card title={text.open}>
        <Entries label={text.open} empty={<p>{text.none}</p>}>
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
      </Card>
    </>
  );
}

const words = {
  send: ['Invite', 'Inviter'],
  link: ['Invitation link', 'Lien d’invitation'],
  open: ['Open invitations', 'Invitations ouvertes'],
  none: ['There is no open invitation.', 'Il n’y a pas d’invitation ouverte.'],
  withdraw: ['Withdraw', 'Retirer'],
  withdrawn: ['The invitation was withdrawn.', 'L’invitation a été retirée.'],
} as const;

const en = {
  sent: (email: string) => `${email} was invited by mail.`,
  linkHint: 'This server sends no mail. Hand this link over to the person yourself.',
  validUntil: (time: string) => `Valid until ${time}`,
  withdrawOf: (email: string) => `Withdraw the invitation of ${email}`,
};

const fr: typeof en = {
  sent: (email) => `${email} a été invité par e-mail.`,
  linkHint: 'Ce serveur n’envoie pas d’e-mail. Remettez vous-même ce lien à la personne.',
  validUntil: (time) => `Valable jusqu’au ${time}`,
  withdrawOf: (email) => `Retirer l’invitation de ${email}`,
};

const invitationText = catalog({ en, fr, words });
