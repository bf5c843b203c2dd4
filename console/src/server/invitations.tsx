import { useSuspenseQuery } from '@tanstack/react-query';
import { api, bodyOf } from '../data/api.ts';
import { InvitationForm } from '../data/invitation-form.tsx';
import { reloadServer, serverQueries } from './queries.ts';
import { serverText } from './text.ts';

const empty = { email: '' };

/** Invitations to create an account on this server. */
export function Invitations() {
  const text = serverText();
  return (
    <InvitationForm
      title={text.invite}
      hint={text.inviteHint}
      empty={empty}
      draft="server invitation"
      invitations={useSuspenseQuery(serverQueries.invitations).data}
      invite={(body) => bodyOf(api.POST('/api/admin/invitations', { body }))}
      withdraw={(id, body) => api.DELETE('/api/admin/invitations/{id}', { params: { path: { id } }, body })}
      reload={reloadServer}
    />
  );
}
