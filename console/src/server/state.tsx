import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { confirmedApi } from '../data/confirmation.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { Button } from '../ui/button.tsx';
import { Entries, Entry } from '../ui/entries.tsx';
import { Select } from '../ui/fields.tsx';
import { Card, Notice } from '../ui/page.tsx';
import { changeServer, serverQueries } from './queries.ts';
import styles from './server.module.css';
import { formatSize } from './sizes.ts';
import { serverText } from './text.ts';

const Figure = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className={styles.figure}>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

/** The state of the server, and the policy of sign-ups. */
export function State() {
  const text = serverText();
  const formatTime = useFormatTime();
  const { version, node, users, database, disk, jobs, broker, last_backup_at } = useSuspenseQuery(
    serverQueries.state,
  ).data;
  return (
    <>
      {disk && disk.free < disk.required ? (
        <Notice tone="danger">{text.diskLow(formatSize(disk.required))}</Notice>
      ) : null}
      {broker && !broker.ok ? <Notice tone="danger">{broker.message}</Notice> : null}
      <Card title={text.parts.state}>
        <dl className={styles.figures}>
          <Figure label={text.version}>
            Potager {version}
            <small>Node.js {node}</small>
          </Figure>
          <Figure label={text.users}>{users}</Figure>
          <Figure label={text.database}>
            {formatSize(database.bytes)}
            <small>{database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}</small>
          </Figure>
          <Figure label={text.disk}>
            {disk ? text.diskFree(formatSize(disk.free), formatSize(disk.total)) : text.diskUnknown}
          </Figure>
          <Figure label={text.jobs}>
            {text.jobCounts(jobs.waiting, jobs.later, jobs.running)}
            {jobs.dead > 0 ? (
              <Link to="/server" search={{ part: 'jobs' }}>
                {text.dead(jobs.dead)}
              </Link>
            ) : (
              <small>{text.noJobs}</small>
            )}
          </Figure>
          <Figure label={text.broker}>{broker?.message ?? text.noBroker}</Figure>
          <Figure label={text.lastBackup}>{last_backup_at ? formatTime(last_backup_at) : text.never}</Figure>
        </dl>
      </Card>
      <Backups />
      <SignUp />
      <Demos />
    </>
  );
}

function SignUp() {
  const text = serverText();
  const { sign_up, sign_up_setting } = useSuspenseQuery(serverQueries.state).data;
  const change = (choice: 'open' | 'closed' | 'setting') => {
    const body = { sign_up: choice === 'setting' ? null : choice };
    return changeServer(() => confirmedApi.PATCH('/api/admin/server', { body }), text.saved);
  };
  return (
    <Card title={text.signUp}>
      <Select
        label={text.signUp}
        hint={text.signUpHint}
        value={sign_up === sign_up_setting ? 'setting' : sign_up}
        choices={[
          { value: 'setting', label: text.signUpChoices.setting(text.signUpWords[sign_up_setting]) },
          { value: 'open', label: text.signUpChoices.open },
          { value: 'closed', label: text.signUpChoices.closed },
        ]}
        onChange={(choice) => void change(choice)}
      />
    </Card>
  );
}

/** Whether visitors may use demo accounts. */
function Demos() {
  const text = serverText();
  const { demo_accounts: isOn, demo_accounts_setting: setting, sign_up } = useSuspenseQuery(serverQueries.state).data;
  const change = (choice: 'on' | 'off' | 'setting') => {
    const body = { demo_accounts: choice === 'setting' ? null : choice === 'on' };
    return changeServer(() => confirmedApi.PATCH('/api/admin/server', { body }), text.saved);
  };
  const settingWord = setting === null ? null : text.demoWords[setting ? 'on' : 'off'];
  return (
    <Card title={text.demos}>
      <Select
        label={text.demos}
        hint={text.demosHint}
        value={isOn === (setting ?? sign_up === 'open') ? 'setting' : isOn ? 'on' : 'off'}
        choices={[
          { value: 'setting', label: text.demoChoices.setting(settingWord) },
          { value: 'on', label: text.demoChoices.on },
          { value: 'off', label: text.demoChoices.off },
        ]}
        onChange={(choice) => void change(choice)}
      />
    </Card>
  );
}

/** The backups that the server created itself, and a button that creates one. */
function Backups() {
  const text = serverText();
  const { running, files } = useSuspenseQuery(serverQueries.backups).data;
  const { engine } = useSuspenseQuery(serverQueries.state).data.database;
  const backUp = () => changeServer(() => confirmedApi.POST('/api/admin/backups'));
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
      <Entries label={text.backups} empty={<p>{text.noBackups}</p>}>
        {files.map(({ name, bytes }) => (
          <Entry key={name} title={name} details={[formatSize(bytes)]} />
        ))}
      </Entries>
    </Card>
  );
}
