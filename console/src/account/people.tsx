import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { attempt, confirmed } from '../data/confirmation.ts';
import { useFormatTime } from '../data/garden-time.ts';
import type { components } from '../data/generated/api.ts';
import { getSession, setSession } from '../data/session.ts';
import { useGarden } from '../data/singles.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { ShownOnce } from '../ui/copyable.tsx';
import { useDraft } from '../ui/draft.ts';
import { Entries, Entry } from '../ui/entries.tsx';
import { Select, TextField } from '../ui/fields.tsx';
import { Card, Form, Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { showToast } from '../ui/toasts.tsx';
import { partsText } from './parts-text.ts';
import { accountQueries, reloadAccount } from './queries.ts';

type Member = components['schemas']['Member'];
type Role = Member['role'];

const choices = () => {
  const { roles } = partsText();
  return (Object.keys(roles) as Role[]).map((value) => ({ value, label: roles[value] }));
};

/** Who may do what in this garden, and invitations to it. */
export function People() {
  const text = partsText();
  const garden = useGarden();
  if (garden.role === 'owner')
    return (
      <>
        <Members />
        <Invitations />
        {garden.is_home ? null : <Leave />}
      </>
    );
  return (
    <>
      <Notice>{text.onlyOwners}</Notice>
      {garden.is_home ? null : <Leave />}
    </>
  );
}

function Members() {
  const text = partsText();
  const members = useSuspenseQuery(accountQueries.members).data;
  const ownId = getSession()?.user.id;
  const change = ({ id, name, email }: Member, role: Role): Promise<boolean> =>
    attempt(async () => {
      await confirmed((proof) =>
        api.PATCH('/api/members/{id}', { params: { path: { id } }, body: { role, ...proof } }),
      );
      showToast({ text: text.roleChanged(name ?? email, text.roles[role]) });
      await reloadAccount();
    });
  const remove = ({ id, name, email }: Member): Promise<boolean> =>
    attempt(async () => {
      await confirmed((body) => api.DELETE('/api/members/{id}', { params: { path: { id } }, body }));
      showToast({ text: text.removed(name ?? email) });
      await reloadAccount();
    });
  return (
    <Card title={text.members}>
      <Entries label={text.members}>
        {members.map((member) => {
          const name = member.name ?? member.email;
          return (
            <Entry
              key={member.id}
              title={name}
              mark={member.id === ownId ? text.you : null}
              details={[member.email, text.roleHints[member.role], member.is_home ? text.isHome : null]}
              controls={
                <>
                  <Select
                    label={text.roleOf(name)}
                    value={member.role}
                    choices={choices()}
                    onChange={(role) => role !== member.role && void change(member, role)}
                    isDisabled={member.is_home}
                  />
                  {member.is_home || member.id === ownId ? null : (
                    <ConfirmButton
                      word={text.remove}
                      label={text.removeOf(name)}
                      title={text.removeTitle(name)}
                      hint={text.removeHint}
                      onConfirm={() => void remove(member)}
                    />
                  )}
                </>
              }
            />
          );
        })}
      </Entries>
    </Card>
  );
}

const empty = { email: '', role: 'viewer' as Role };

function Invitations() {
  const text = partsText();
  const formatTime = useFormatTime();
  const invitations = useSuspenseQuery(accountQueries.invitations).data;
  const submission = useSubmission();
  const [typed, setTyped, endDraft] = useDraft('invitation', empty);
  const [link, setLink] = useState<string | null>(null);
  const invite = async (): Promise<void> => {
    const isDone = await submission.run(async () => {
      const made = await confirmed((proof) =>
        bodyOf(api.POST('/api/invitations', { body: { ...typed, email: typed.email.trim(), ...proof } })),
      );
      if (made.link === undefined) showToast({ text: text.invited(made.email) });
      else setLink(made.link);
    });
    if (!isDone) return;
    setTyped(empty);
    endDraft();
    await reloadAccount();
  };
  const withdraw = (id: number): Promise<boolean> =>
    attempt(async () => {
      await confirmed((body) => api.DELETE('/api/invitations/{id}', { params: { path: { id } }, body }));
      showToast({ text: text.withdrawn });
      await reloadAccount();
    });
  const rest = submission.rest('email', 'role');
  return (
    <>
      <Card title={text.invite}>
        <Form
          onSubmit={() => void invite()}
          actions={
            <Button tone="primary" type="submit" isDisabled={submission.isPending}>
              {text.sendInvitation}
            </Button>
          }
        >
          <p>{text.inviteHint}</p>
          {rest ? <Notice tone="danger">{rest}</Notice> : null}
          <TextField
            label={text.email}
            type="email"
            value={typed.email}
            onChange={(email) => setTyped({ ...typed, email })}
            problem={submission.problems.email}
            isRequired
          />
          <Select
            label={text.role}
            hint={text.roleHints[typed.role]}
            value={typed.role}
            choices={choices()}
            onChange={(role) => setTyped({ ...typed, role })}
            problem={submission.problems.role}
          />
        </Form>
        <ShownOnce label={text.invitationLink} hint={text.linkHint} value={link} onClose={() => setLink(null)} />
      </Card>
      <Card title={text.invitations}>
        {invitations.length === 0 ? (
          <p>{text.noInvitations}</p>
        ) : (
          <Entries label={text.invitations}>
            {invitations.map(({ id, email, role, expires_at }) => (
              <Entry
                key={id}
                title={email}
                details={[text.roles[role], text.validUntil(formatTime(expires_at))]}
                controls={
                  <Button aria-label={text.withdrawOf(email)} onPress={() => void withdraw(id)}>
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

function Leave() {
  const text = partsText();
  const navigate = useNavigate();
  const leave = (): Promise<boolean> =>
    attempt(async () => {
      const id = getSession()?.user.id ?? 0;
      await confirmed((body) => api.DELETE('/api/members/{id}', { params: { path: { id } }, body }));
      setSession(null);
      await navigate({ to: '/sign-in' });
    });
  return (
    <Card title={text.leave}>
      <p>{text.leaveHint}</p>
      <div>
        <ConfirmButton
          tone="danger"
          word={text.leave}
          title={text.leaveTitle}
          hint={text.leaveHint}
          onConfirm={() => void leave()}
        />
      </div>
    </Card>
  );
}
