import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { confirmedApi } from '../data/confirmation.ts';
import type { components } from '../data/generated/api.ts';
import { changeNotificationSettings, notificationSettings } from '../data/notifications.ts';
import { Button } from '../ui/button.tsx';
import { ShownOnce } from '../ui/copyable.tsx';
import { Entries, Entry } from '../ui/entries.tsx';
import { Checkbox, Select, Switch, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Card, EmptyState, Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { showProblem, showToast } from '../ui/toasts.tsx';
import styles from './account.module.css';
import { clientOf } from './client-name.ts';
import { notificationsText } from './notifications-text.ts';
import { accountQueries, changeAccount, reloadAccount } from './queries.ts';
import { pushObstacle, subscribeToPushes } from './web-push.ts';

type Rule = components['schemas']['NotificationRule'];
type Kind = Rule['kinds'][number];

const kindsOf = (text: ReturnType<typeof notificationsText>): readonly Kind[] => Object.keys(text.kinds) as Kind[];

const toggled = (kinds: readonly Kind[], kind: Kind, isOn: boolean): Kind[] =>
  isOn ? [...kinds, kind] : kinds.filter((each) => each !== kind);

/** How the user is notified of what the robot says. */
export function Notifications() {
  return (
    <>
      <OnPages />
      <Away />
    </>
  );
}

function OnPages() {
  const text = notificationsText();
  const { kinds } = useSuspenseQuery(notificationSettings).data;
  return (
    <Card title={text.onPages}>
      <p>{text.pagesHint}</p>
      {kindsOf(text).map((kind) => (
        <Switch
          key={kind}
          label={text.kinds[kind]}
          isSelected={kinds.includes(kind)}
          onChange={(isOn) => changeNotificationSettings({ kinds: toggled(kinds, kind, isOn) }).catch(showProblem)}
        />
      ))}
    </Card>
  );
}

function Away() {
  const text = notificationsText();
  const rules = useSuspenseQuery(accountQueries.rules).data;
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <Card title={text.away}>
        <p>{text.awayHint}</p>
        <Entries label={text.away} empty={<EmptyState title={text.none} />}>
          {rules.map((rule) => (
            <RuleEntry key={rule.id} rule={rule} />
          ))}
        </Entries>
      </Card>
      <Card title={text.newRule}>
        <RuleForm onSecret={setSecret} />
      </Card>
      <ShownOnce label={text.secret} hint={text.secretHint} value={secret} onClose={() => setSecret(null)} />
    </>
  );
}

function RuleEntry({ rule }: { readonly rule: Rule }) {
  const text = notificationsText();
  const { way, address, description, kinds, quiet_from, quiet_to, active, last_error } = rule;
  const params = { path: { id: rule.id } };
  const change = (body: Partial<Rule>) =>
    changeAccount(() => confirmedApi.PATCH('/api/notification_rules/{id}', { params, body }), text.saved);
  const test = () => changeAccount(() => api.POST('/api/notification_rules/{id}/test', { params }), text.tested);
  const remove = () => changeAccount(() => api.DELETE('/api/notification_rules/{id}', { params }), text.deleted);
  return (
    <Entry
      title={description || text.ways[way]}
      details={[
        // The address of a browser's push service says nothing to people.
        way === 'web_push' ? null : address,
        kinds.map((kind) => text.kinds[kind]).join(' · '),
        quiet_from !== null && quiet_to !== null ? text.quiet(quiet_from, quiet_to) : null,
      ]}
      controls={
        <>
          <Switch label={text.active} isSelected={active} onChange={(isOn) => void change({ active: isOn })} />
          <Button onPress={() => void test()}>{text.test}</Button>
          <Button onPress={() => void remove()}>{text.delete}</Button>
        </>
      }
    >
      {last_error === null ? null : <Notice tone="warn">{text.lastError(last_error)}</Notice>}
    </Entry>
  );
}

const browserName = (): string => {
  const client = clientOf(navigator.userAgent);
  return [client?.name, client?.system].filter(Boolean).join(' · ');
};

/** Adds a rule. `onSecret` gets the secret of a webhook. */
function RuleForm({ onSecret }: { readonly onSecret: (secret: string) => void }) {
  const text = notificationsText();
  const { web_push_key } = useSuspenseQuery(notificationSettings).data;
  const [way, setWay] = useState<Rule['way']>('email');
  const [kinds, setKinds] = useState<readonly Kind[]>(kindsOf(text));
  const [address, setAddress] = useState('');
  const [token, setToken] = useState('');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const submission = useSubmission({ way, kinds, address, token, quiet_from: from, quiet_to: to });
  const { problems } = submission;
  const obstacle = way === 'web_push' ? pushObstacle() : null;
  const hasAddress = way === 'ntfy' || way === 'webhook';
  const add = () =>
    submission.run(async () => {
      const push = way === 'web_push' ? await subscribeToPushes(web_push_key) : null;
      if (way === 'web_push' && !push) return showToast({ text: text.declined, tone: 'problem' });
      const body = {
        way,
        kinds: [...kinds],
        quiet_from: from || null,
        quiet_to: to || null,
        ...(hasAddress && { address }),
        ...(way === 'ntfy' && token !== '' && { token }),
        ...(push && { ...push, description: browserName() }),
      };
      const { secret } = await bodyOf(confirmedApi.POST('/api/notification_rules', { body }));
      if (secret) onSecret(secret);
      setAddress('');
      setToken('');
      showToast({ text: text.saved });
      await reloadAccount();
    });
  return (
    <Form
      onSubmit={add}
      submit={text.add}
      submission={submission}
      fields={['address', 'token', 'quiet_from', 'quiet_to']}
      isDisabled={obstacle !== null || kinds.length === 0}
    >
      <Select
        label={text.way}
        value={way}
        onChange={(value) => setWay(value as Rule['way'])}
        choices={Object.entries(text.ways).map(([value, label]) => ({ value, label }))}
      />
      {obstacle ? <Notice tone="warn">{text.obstacles[obstacle]}</Notice> : null}
      {hasAddress ? (
        <TextField
          label={text.address}
          type="url"
          placeholder="https://"
          hint={way === 'ntfy' ? text.ntfyHint : undefined}
          value={address}
          onChange={setAddress}
          problem={problems.address}
          isRequired
        />
      ) : null}
      {way === 'ntfy' ? (
        <TextField
          label={text.token}
          type="password"
          autoComplete="off"
          value={token}
          onChange={setToken}
          problem={problems.token}
        />
      ) : null}
      <fieldset className={styles.group}>
        <legend>{text.what}</legend>
        {kindsOf(text).map((kind) => (
          <Checkbox
            key={kind}
            label={text.kinds[kind]}
            isSelected={kinds.includes(kind)}
            onChange={(isOn) => setKinds(toggled(kinds, kind, isOn))}
          />
        ))}
      </fieldset>
      <TextField label={text.quietFrom} type="time" value={from} onChange={setFrom} problem={problems.quiet_from} />
      <TextField label={text.quietTo} type="time" value={to} onChange={setTo} problem={problems.quiet_to} />
    </Form>
  );
}
