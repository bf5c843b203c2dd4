import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { attempt, confirmedApi } from '../data/confirmation.ts';
import { useFormatTime } from '../data/garden-time.ts';
import type { components } from '../data/generated/api.ts';
import { collectionNames } from '../data/generated/resources.ts';
import { resourceTitle } from '../data/resource-names.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { useGarden } from '../data/singles.ts';
import { boundFields } from '../ui/bound-fields.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { ShownOnce } from '../ui/copyable.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { useStoredDraft } from '../ui/draft.ts';
import { Entries, Entry } from '../ui/entries.tsx';
import { Part } from '../ui/failure.tsx';
import { FieldNote } from '../ui/field-notes.tsx';
import { Checkbox, Switch, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Meanwhile, plainWords } from '../ui/meanwhile.tsx';
import { Card, EmptyState, Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import styles from './account.module.css';
import { partsText } from './parts-text.ts';
import { accountQueries, changeAccount, reloadAccount } from './queries.ts';

const accountRoute = getRouteApi('/garden/account');

type Webhook = components['schemas']['Webhook'];

/** Webhooks: addresses that receive the changes of the garden. */
export function Webhooks() {
  return useGarden().role === 'owner' ? <OwnerWebhooks /> : <Notice>{partsText().onlyOwnersChange}</Notice>;
}

function OwnerWebhooks() {
  const text = partsText();
  const webhooks = useSuspenseQuery(accountQueries.webhooks).data;
  const { webhook: chosen } = accountRoute.useSearch();
  const [edited, setEdited] = useState<Webhook | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <Card title={text.parts.webhooks}>
        <p>{text.webhooksHint}</p>
        <Entries label={text.parts.webhooks} empty={<EmptyState title={text.noWebhooks} />}>
          {webhooks.map((webhook) => (
            <WebhookEntry
              key={webhook.id}
              webhook={webhook}
              isChosen={webhook.id === chosen}
              onEdit={() => setEdited(webhook)}
              onSecret={setSecret}
            />
          ))}
        </Entries>
      </Card>
      <Card title={text.newWebhook}>
        <WebhookForm webhook={null} onDone={setSecret} />
      </Card>
      <Dialog title={text.edit} isOpen={edited !== null} onClose={() => setEdited(null)}>
        {edited ? <WebhookForm webhook={edited} onDone={() => setEdited(null)} /> : null}
      </Dialog>
      <ShownOnce label={text.secret} hint={text.secretHint} value={secret} onClose={() => setSecret(null)} />
    </>
  );
}

interface WebhookEntryProps {
  readonly webhook: Webhook;
  readonly isChosen: boolean;
  readonly onEdit: () => void;
  readonly onSecret: (secret: string) => void;
}

function WebhookEntry({ webhook, isChosen, onEdit, onSecret }: WebhookEntryProps) {
  const text = partsText();
  const formatTime = useFormatTime();
  const params = { path: { id: webhook.id } };
  const test = () => changeAccount(() => confirmedApi.POST('/api/webhooks/{id}/test', { params }), text.testSent);
  const rotate = () =>
    attempt(async () => onSecret((await bodyOf(confirmedApi.POST('/api/webhooks/{id}/secret', { params }))).secret));
  const remove = () => changeAccount(() => confirmedApi.DELETE('/api/webhooks/{id}', { params }), text.deleted);
  const activate = (active: boolean) =>
    changeAccount(() => confirmedApi.PATCH('/api/webhooks/{id}', { params, body: { active } }), text.saved);
  return (
    <Entry
      title={webhook.url}
      details={[
        webhook.description,
        [
          webhook.resources === null
            ? text.allResources
            : webhook.resources.map((name) => resourceTitle(name)).join(', '),
          ...webhook.robot_events.map((event) => text.events[event]),
        ]
          .filter(Boolean)
          .join(' · '),
      ]}
      controls={
        <>
          <Switch label={text.isActive} isSelected={webhook.active} onChange={(active) => void activate(active)} />
          <Button onPress={() => void test()}>{text.test}</Button>
          <Link
            to="/account"
            search={{ part: 'webhooks', ...(isChosen ? {} : { webhook: webhook.id }) }}
            aria-expanded={isChosen}
            className={styles.amongButtons}
          >
            {text.deliveries}
          </Link>
          <Button onPress={onEdit}>{text.edit}</Button>
          <ConfirmButton
            word={text.rotate}
            title={text.rotateTitle}
            hint={text.rotateHint}
            onConfirm={() => void rotate()}
          />
          <ConfirmButton
            word={text.delete}
            title={text.deleteWebhookTitle}
            hint={text.deleteWebhookHint}
            onConfirm={() => void remove()}
          />
        </>
      }
    >
      {webhook.disabled_at ? <Notice tone="danger">{text.disabled(formatTime(webhook.disabled_at))}</Notice> : null}
      {webhook.failing_since && !webhook.disabled_at ? (
        <Notice tone="warn">{text.failing(formatTime(webhook.failing_since))}</Notice>
      ) : null}
      {isChosen ? (
        <Part>
          <Deliveries webhookId={webhook.id} />
        </Part>
      ) : null}
    </Entry>
  );
}

/** Interval between reads of pending deliveries, in ms. */
const refreshTime = 2000;

/** The deliveries of a webhook with the responses; read again while some are pending. */
function Deliveries({ webhookId }: { readonly webhookId: number }) {
  const text = partsText();
  const formatTime = useFormatTime();
  const deliveries = useSuspenseQuery({
    queryKey: ['account', 'deliveries', webhookId],
    staleTime: 0,
    queryFn: () => bodyOf(api.GET('/api/webhooks/{id}/deliveries', { params: { path: { id: webhookId } } })),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'waiting' || status === 'sending') ? refreshTime : false,
  }).data;
  const redeliver = (delivery_id: number) =>
    changeAccount(() =>
      confirmedApi.POST('/api/webhooks/{id}/deliveries/{delivery_id}/redeliver', {
        params: { path: { id: webhookId, delivery_id } },
      }),
    );
  if (deliveries.length === 0) return <p>{text.noDeliveries}</p>;
  return (
    <Entries label={text.deliveries}>
      {deliveries.map(({ id, type, status, attempts, created_at, duration, response_status, response_body, error }) => (
        <Entry
          key={id}
          title={type}
          mark={text.statuses[status]}
          tone={status === 'failed' ? 'danger' : status === 'delivered' ? 'success' : 'info'}
          details={[
            [
              formatTime(created_at, { timeStyle: 'medium' }),
              text.attempts(attempts),
              duration === null ? null : `${duration} ms`,
              response_status === null ? null : `HTTP ${response_status}`,
            ]
              .filter(Boolean)
              .join(' · '),
            error,
          ]}
          controls={
            <Button aria-label={text.redeliverOf(type)} onPress={() => void redeliver(id)}>
              {text.redeliver}
            </Button>
          }
        >
          {response_body ? (
            <section aria-label={text.answer}>
              <pre className={styles.answer}>{response_body}</pre>
            </section>
          ) : null}
        </Entry>
      ))}
    </Entries>
  );
}

type Event = Webhook['robot_events'][number];

const empty: Pick<Webhook, 'url' | 'description' | 'resources' | 'robot_events'> = {
  url: '',
  description: null,
  resources: null,
  robot_events: [],
};

const toggled = <T,>(list: readonly T[], item: T, isOn: boolean): T[] =>
  isOn ? [...list, item] : list.filter((each) => each !== item);

/** Creates or changes a webhook. `onDone` gets the secret of a new one. */
function WebhookForm({
  webhook,
  onDone,
}: {
  readonly webhook: Webhook | null;
  readonly onDone: (secret: string) => void;
}) {
  const text = partsText();
  const draft = useStoredDraft(`webhook ${webhook?.id ?? 'new'}`, {
    ...empty,
    ...(webhook && {
      url: webhook.url,
      description: webhook.description,
      resources: webhook.resources,
      robot_events: webhook.robot_events,
    }),
  });
  const { value: typed } = draft;
  const submission = useSubmission(typed);
  const save = (): Promise<boolean> => {
    let secret = '';
    return submission.run(
      async () => {
        if (webhook)
          await confirmedApi.PATCH('/api/webhooks/{id}', { params: { path: { id: webhook.id } }, body: draft.changes });
        else secret = (await bodyOf(confirmedApi.POST('/api/webhooks', { body: typed }))).secret ?? '';
      },
      () => {
        draft.end();
        onDone(secret);
        return reloadAccount();
      },
    );
  };
  const { resources } = typed;
  return (
    <Form
      onSubmit={save}
      submit={webhook ? text.save : text.newWebhook}
      submission={submission}
      fields={['url', 'description']}
    >
      <Meanwhile
        draft={draft}
        submission={submission}
        fields={{
          url: [text.address, plainWords],
          description: [sharedLabels().description, plainWords],
          resources: [text.resources, () => null],
          robot_events: [text.robotEvents, () => null],
        }}
      >
        <TextField
          label={text.address}
          type="url"
          placeholder="https://"
          isRequired
          {...boundFields(typed, draft.set, submission.problems)('url')}
        />
        <TextField
          label={sharedLabels().description}
          name="description"
          value={typed.description ?? ''}
          onChange={(words) => draft.set({ ...typed, description: words === '' ? null : words })}
          problem={submission.problems.description}
          maxLength={1000}
        />
        <fieldset className={styles.group}>
          <legend>{text.resources}</legend>
          <FieldNote name="resources" />
          <Checkbox
            label={text.allResources}
            isSelected={resources === null}
            onChange={(isAll) => draft.set({ ...typed, resources: isAll ? null : [] })}
          />
          {resources ? (
            <div className={styles.columns}>
              {Object.keys(collectionNames).map((name) => (
                <Checkbox
                  key={name}
                  label={resourceTitle(name)}
                  isSelected={resources.includes(name)}
                  onChange={(isOn) => draft.set({ ...typed, resources: toggled(resources, name, isOn) })}
                />
              ))}
            </div>
          ) : null}
        </fieldset>
        <fieldset className={styles.group}>
          <legend>{text.robotEvents}</legend>
          <FieldNote name="robot_events" />
          <div className={styles.columns}>
            {(Object.keys(text.events) as Event[]).map((event) => (
              <Checkbox
                key={event}
                label={text.events[event]}
                isSelected={typed.robot_events.includes(event)}
                onChange={(isOn) => draft.set({ ...typed, robot_events: toggled(typed.robot_events, event, isOn) })}
              />
            ))}
          </div>
        </fieldset>
      </Meanwhile>
    </Form>
  );
}
