import { getRouteApi, Navigate, useRouter } from '@tanstack/react-router';
import { getOfferedSession, signInWith } from '../data/initial-state.ts';
import { useSession } from '../data/session.ts';
import { Button } from '../ui/button.tsx';
import { Card, Page } from '../ui/page.tsx';
import { authText } from './text.ts';

const confirmedRoute = getRouteApi('/public/confirmed');

/** After the confirmation of an address. If another account is signed in, it lets the user choose one of the two. */
export function ConfirmedPage() {
  const text = authText();
  const { kind } = confirmedRoute.useSearch();
  const router = useRouter();
  const session = useSession();
  const offered = getOfferedSession();
  const goOn = () => void router.navigate({ to: '/', replace: true });
  if (kind === 'change')
    return (
      <Page title={text.confirmedChange} width="narrow">
        <Card>
          <p>{text.confirmedChangeText}</p>
          <Button tone="primary" onPress={() => void router.navigate({ to: session ? '/' : '/sign-in' })}>
            {session ? text.goOn : text.signIn}
          </Button>
        </Card>
      </Page>
    );
  // Signed in by the link.
  if (!offered) return <Navigate to="/" replace />;
  const { current, app } = offered;
  const email = offered.session.user.email ?? '';
  return (
    <Page title={text.confirmed} width="narrow">
      <Card>
        <p>{text.otherAccount(current, email)}</p>
        <Button
          tone="primary"
          onPress={() => {
            signInWith(offered.session, app);
            if (app === undefined) goOn();
          }}
        >
          {text.signInAs(email)}
        </Button>
        <Button onPress={() => (app === undefined ? goOn() : location.replace(app))}>{text.stayAs(current)}</Button>
      </Card>
    </Page>
  );
}
