import { useSuspenseQuery } from '@tanstack/react-query';
import { api } from '../data/api.ts';
import { attempt, confirmed } from '../data/confirmation.ts';
import { Button } from '../ui/button.tsx';
import { Entries, Entry } from '../ui/entries.tsx';
import { Card, Notice } from '../ui/page.tsx';
import { reloadServer, serverQueries } from './queries.ts';
import { formatSize } from './sizes.ts';
import { serverText } from './text.ts';

/** The backups that the server created itself, and a button that creates one. */
export function Backups() {
  const text = serverText();
  const { running, files } = useSuspenseQuery(serverQueries.backups).data;
  const { engine } = useSuspenseQuery(serverQueries.state).data.database;
  const backUp = (): Promise<boolean> =>
    attempt(async () => {
      await confirmed((body) => api.POST('/api/admin/backups', { body }));
      await reloadServer();
    });
  return (
    <Card
      title={text.backups}
      actions={
        <Button isDisabled={running} onPress={() => void backUp()}>
          {text.backUpNow}
        </Button>
      }
    >
      <p>{text.backupsHint}</p>
      {engine === 'postgresql' ? <Notice tone="warn">{text.backupsPostgres}</Notice> : null}
      {running ? <Notice>{text.backingUp}</Notice> : null}
      {files.length === 0 ? (
        <p>{text.noBackups}</p>
      ) : (
        <Entries label={text.backups}>
          {files.map(({ name, bytes }) => (
            <Entry key={name} title={name} details={[formatSize(bytes)]} />
          ))}
        </Entries>
      )}
    </Card>
  );
}
