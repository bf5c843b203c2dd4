import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { api, bodyOf } from '../data/api.ts';
import { ApiError } from '../data/api-error.ts';
import type { components } from '../data/generated/api.ts';
import { type Session, setSession, useSession } from '../data/session.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { keepDraft } from '../ui/draft.ts';
import { Loading } from '../ui/failure.tsx';
import { Card, Notice, Page } from '../ui/page.tsx';
import { type Submission, useSubmission } from '../ui/submission.ts';
import { OtherProblems } from '../ui/submission-problems.tsx';
import { showToast } from '../ui/toasts.tsx';
import { AccountForm } from './account-form.tsx';
import { useLinkToken } from './link-token.ts';
import { useSignIn } from './sign-in.ts';
import { authText } from './text.ts';

type ShownInvitation = components['schemas']['ShownInvitation'];

/** The invitation of a link; null: it has expired, was used or withdrawn. */
const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () =>
      bodyOf(api.POST('/api/invitations/show', { body: { token } })).catch((error: unknown) => {
        if (error instanceof ApiError && (error.status === 404 || error.status === 422)) return null;
        throw error;
      }),
  });

/** The page of an invitation's link: accept or decline it, or sign in first, which leads back here. An account that is created here accepts it. */
export function InvitationPage() {
  const text = authText();
  const completeSignIn = useSignIn();
  const [token, removeToken] = useLinkToken('invitation');
  const submission = useSubmission();
  const [state, setState] = useState<'open' | 'accepting' | 'declined'>('open');
  /** Accepts it, with the session of the account that was created with it, if there is one. */
  const accept = async ({ garden }: ShownInvitation, created?: Session): Promise<void> => {
    // Another session empties the cache: the invitation would be read again, but links work once.
    flushSync(() => setState('accepting'));
    if (created) setSession(created);
    const isDone = await submission.run(async () => {
      const session = garden ? await bodyOf(api.POST('/api/invitations/accept', { body: { token } })) : created;
      removeToken();
      if (garden) showToast({ text: text.joined(created !== undefined, garden.name, text.roles[garden.role]) });
      if (session) await completeSignIn(session, garden ? '/map' : undefined);
    });
    if (!isDone) setState('open');
  };
  const decline = () =>
    submission.run(async () => {
      await api.POST('/api/invitations/decline', { body: { token } });
      removeToken();
      setState('declined');
    });
  return (
    <Page title={text.invitation} width="narrow">
      {state === 'open' ? (
        <Invitation token={token} removeToken={removeToken} submission={submission} accept={accept} decline={decline} />
      ) : state === 'declined' ? (
        <Notice tone="success">{text.declined}</Notice>
      ) : (
        <Loading />
      )}
    </Page>
  );
}

interface InvitationProps {
  readonly token: string;
  readonly removeToken: () => void;
  readonly submission: Submission;
  readonly accept: (invitation: ShownInvitation, created?: Session) => Promise<void>;
  readonly decline: () => Promise<unknown>;
}

function Invitation({ token, removeToken, submission, accept, decline }: InvitationProps) {
  const text = authText();
  const router = useRouter();
  const session = useSession();
  const { data: invitation } = useSuspenseQuery(invitationQuery(token));
  const isDead = invitation === null;
  useEffect(() => {
    if (isDead) removeToken();
  }, [isDead, removeToken]);
  if (!invitation) return <Notice tone="warn">{text.deadInvitation}</Notice>;
  const { email, inviter, garden, may_sign_up } = invitation;
  const signIn = (): void => {
    keepDraft('sign-in', email);
    void router.navigate({ to: '/sign-in', search: { next: '/invitation' } });
  };
  return (
    <>
      <p>
        {garden ? text.invitesToGarden(inviter, garden.name, text.roles[garden.role]) : text.invitesToServer(inviter)}{' '}
        {text.invitationFor(email)}
      </p>
      <OtherProblems of={submission} />
      {session ? (
        <Card>
          <p>{text.signedInAs(session.user.email ?? '')}</p>
          {garden ? (
            <Button tone="primary" onPress={() => void accept(invitation)} isDisabled={submission.isPending}>
              {text.accept}
            </Button>
          ) : null}
          <Button onPress={() => setSession(null)}>{text.useOther}</Button>
        </Card>
      ) : (
        <>
          <Button onPress={signIn}>{text.haveOne}</Button>
          {may_sign_up ? (
            <AccountForm
              invitation={{ token, email, garden: garden?.name }}
              onSession={(created) => accept(invitation, created)}
            />
          ) : null}
        </>
      )}
      <div>
        <ConfirmButton
          word={text.decline}
          title={text.declineTitle}
          hint={text.declineHint(inviter)}
          onConfirm={() => void decline()}
          isDisabled={submission.isPending}
        />
      </div>
    </>
  );
}
