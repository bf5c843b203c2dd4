import { useSuspenseQuery } from '@tanstack/react-query';
import { attempt, confirmedApi } from '../data/confirmation.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { setSession } from '../data/session.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Entries, Entry } from '../ui/entries.tsx';
import { Card } from '../ui/page.tsx';
import { showToast } from '../ui/toasts.tsx';
import { type Client, clientOf } from './client-name.ts';
import { partsText } from './parts-text.ts';
import { accountQueries, changeAccount, reloadAccount } from './queries.ts';

function clientWords({ name, system, isVirtual }: Client): string {
  const text = partsText();
  if (isVirtual) return text.virtualRobot(name);
  return system === undefined ? name : text.clientOn(name, system);
}

/** The sign-ins of the user. */
export function Sessions() {
  const text = partsText();
  const formatTime = useFormatTime();
  const sessions = useSuspenseQuery(accountQueries.sessions).data;
  const end = (id: number, isCurrent: boolean): Promise<boolean> =>
    attempt(async () => {
      await confirmedApi.DELETE('/api/sessions/{id}', { params: { path: { id } } });
      if (isCurrent) return setSession(null);
      showToast({ text: text.sessionEnded });
      await reloadAccount();
    });
  const endOthers = () => changeAccount(() => confirmedApi.DELETE('/api/sessions'), text.sessionsEnded);
  return (
    <Card
      title={text.parts.sessions}
      actions={
        sessions.length > 1 ? (
          <ConfirmButton
            word={text.endOthers}
            title={text.endOthersTitle}
            hint={text.endOthersHint}
            onConfirm={() => void endOthers()}
          />
        ) : null
      }
    >
      <p>{text.sessionsHint}</p>
      <Entries label={text.parts.sessions}>
        {sessions.map(({ id, kind, is_current, created_at, last_used_at, address, user_agent, stays_signed_in }) => {
          const client = user_agent === null ? null : clientOf(user_agent);
          const name = client ? clientWords(client) : text[kind];
          return (
            <Entry
              key={id}
              title={name}
              mark={is_current ? text.thisSession : null}
              details={[
                [text[kind], address].filter(Boolean).join(' · '),
                text.since(formatTime(created_at)),
                last_used_at && text.lastUsed(formatTime(last_used_at)),
                stays_signed_in ? text.staysSignedIn : null,
              ]}
              controls={
                <Button aria-label={text.endOf(name)} onPress={() => void end(id, is_current)}>
                  {text.endSession}
                </Button>
              }
            >
              {user_agent === null ? null : (
                <details>
                  <summary>{text.identifiesAs}</summary>
                  <code>{user_agent}</code>
                </details>
              )}
            </Entry>
          );
        })}
      </Entries>
    </Card>
  );
}
