import { getRouteApi, Link } from '@tanstack/react-router';
import { api, bodyOf } from '../data/api.ts';
import { useSession } from '../data/session.ts';
import { Card, Notice, Page } from '../ui/page.tsx';
import { LinkRequest } from './link-request.tsx';
import { authText } from './text.ts';

const deadLinkRoute = getRouteApi('/public/dead-link');

/** Says that a link is invalid, and offers another one. Does not reveal whether an account exists. */
export function DeadLinkPage() {
  const text = authText();
  const { kind, reason } = deadLinkRoute.useSearch();
  const session = useSession();
  if (reason === 'used')
    return (
      <Page title={text.alreadyDone} width="narrow">
        <Card>
          <p>{text.alreadyVerified}</p>
          <Link to={session ? '/' : '/sign-in'}>{session ? text.toMap : text.signIn}</Link>
        </Card>
      </Page>
    );
  return (
    <Page title={text.deadLink} width="narrow">
      <Notice tone="warn">{reason === 'taken' ? text.takenAddress : text.deadLinkText}</Notice>
      {kind === 'change' ? (
        <Card title={text.linkExpired}>
          <p>{text.changeAgain}</p>
          <a href="/account">{text.changeAddress}</a>
        </Card>
      ) : (
        <LinkRequest
          title={text.linkExpired}
          button={text.sendAnother}
          send={async (email) => {
            const { status } = await bodyOf(api.POST('/api/verification_mails', { body: { email } }));
            return status;
          }}
        />
      )}
    </Page>
  );
}
