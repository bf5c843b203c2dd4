import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { ApiError } from '../data/api-error.ts';
import { setSession, useSession } from '../data/session.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { keepDraft } from '../ui/draft.ts';
import { Card, Notice, Page } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { OtherProblems } from '../ui/submission-problems.tsx';
import { AccountForm } from './account-form.tsx';
import { useLinkToken } from './link-token.ts';
import { useSignIn } from './sign-in.ts';
import { authText } from './text.ts';

/** What a link invites to; null: it has expired, was used or withdrawn. */
const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () =>
      bodyOf(api.POST('/api/invitations/show', { body: { token } })).catch((error: unknown) => {
        if (error instanceof ApiError && (error.status === 404 || error.status === 422)) return null;
        throw error;
      }),
  });

/** The page of an invitation's link: accept or decline it, or create an account or sign in first, which leads back here. */
export function InvitationPage() {
  const text = authText();
  const router = useRouter();
  const completeSignIn = useSignIn();
  const session = useSession();
  const [token, removeToken] = useLinkToken('invitation');
  const { data: invitation } = useSuspenseQuery(invitationQuery(token));
  const submission = useSubmission();
  const [isDeclined, setDeclined] = useState(false);
  if (isDeclined)
    return (
      <Page title={text.invitation} width="narrow">
        <Notice tone="success">{text.declined}</Notice>
      </Page>
    );
  if (!invitation)
    return (
      <Page title={text.invitation} width="narrow">
        <Notice tone="warn">{text.deadInvitation}</Notice>
      </Page>
    );
  const { email, inviter, garden, may_sign_up } = invitation;
  const accept = () =>
    submission.run(async () => {
      const accepted = await bodyOf(api.POST('/api/invitations/accept', { body: { token } }));
      removeToken();
      await completeSignIn(accepted, '/map');
    });
  const decline = () =>
    submission.run(async () => {
      await api.POST('/api/invitations/decline', { body: { token } });
      removeToken();
      setDeclined(true);
    });
  const signIn = (): void => {
    keepDraft('sign-in', email);
    void router.navigate({ to: '/sign-in', search: { next: '/invitation' } });
  };
  return (
    <Page title={text.invitation} width="narrow">
      <p>
        {garden ? text.invitesToGarden(inviter, garden.name, text.roles[garden.role]) : text.invitesToServer(inviter)}{' '}
        {text.invitationFor(email)}
      </p>
      <OtherProblems of={submission} />
      {session ? (
        <Card>
          <p>{text.signedInAs(session.user.email ?? '')}</p>
          {garden ? (
            <Button tone="primary" onPress={() => void accept()} isDisabled={submission.isPending}>
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
              invitation={{ token, email }}
              onSession={async (opened) => {
                if (garden) setSession(opened);
                else {
                  removeToken();
                  await completeSignIn(opened);
                }
              }}
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
    </Page>
  );
}
