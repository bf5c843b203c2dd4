import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { bodyOf } from '../data/api.ts';
import { attempt, confirmedApi } from '../data/confirmation.ts';
import type { components } from '../data/generated/api.ts';
import { InvitationForm } from '../data/invitation-form.tsx';
import { getSession, setSession } from '../data/session.ts';
import { useGarden } from '../data/singles.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Entries, Entry } from '../ui/entries.tsx';
import { Select } from '../ui/fields.tsx';
import { Card, Notice } from '../ui/page.tsx';
import { partsText } from './parts-text.ts';
import { accountQueries, changeAccount, reloadAccount } from './queries.ts';

type Member = components['schemas']['Member'];
type Role = Member['role'];

const choices = () => {
  const { roles } = partsText();
  return (Object.keys(roles) as Role[]).map((value) => ({ value, label: roles[value] }));
};

/** Members of this garden with their roles, and invitations. */
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
  const homeHint = ({ id, is_home }: Member) => (is_home ? (id === ownId ? text.isOwnHome : text.isHome) : null);
  const change = ({ id, name, email }: Member, role: Role): Promise<boolean> =>
    changeAccount(
      () => confirmedApi.PATCH('/api/members/{id}', { params: { path: { id } }, body: { role } }),
      text.roleChanged(name ?? email, text.roles[role]),
    );
  const remove = ({ id, name, email }: Member): Promise<boolean> =>
    changeAccount(
      () => confirmedApi.DELETE('/api/members/{id}', { params: { path: { id } } }),
      text.removed(name ?? email),
    );
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
              details={[member.email, text.roleHints[member.role], homeHint(member)]}
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
  return (
    <InvitationForm
      title={text.invite}
      hint={text.inviteHint}
      empty={empty}
      draft="invitation"
      invitations={useSuspenseQuery(accountQueries.invitations).data}
      detailOf={({ role }) => text.roles[role]}
      invite={(body) => bodyOf(confirmedApi.POST('/api/invitations', { body }))}
      withdraw={(id) => confirmedApi.DELETE('/api/invitations/{id}', { params: { path: { id } } })}
      reload={reloadAccount}
    >
      {({ role }, field) => (
        <Select label={text.role} hint={text.roleHints[role]} choices={choices()} {...field('role')} />
      )}
    </InvitationForm>
  );
}

function Leave() {
  const text = partsText();
  const navigate = useNavigate();
  const leave = (): Promise<boolean> =>
    attempt(async () => {
      const id = getSession()?.user.id ?? 0;
      await confirmedApi.DELETE('/api/members/{id}', { params: { path: { id } } });
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
