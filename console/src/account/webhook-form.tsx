import { bodyOf } from '../data/api.ts';
import { confirmedApi } from '../data/confirmation.ts';
import type { components } from '../data/generated/api.ts';
import { collectionNames } from '../data/generated/resources.ts';
import { resourceTitle } from '../data/resource-names.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { boundFields } from '../ui/bound-fields.ts';
import { useStoredDraft } from '../ui/draft.ts';
import { Checkbox, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Meanwhile, plainWords } from '../ui/meanwhile.tsx';
import { useSubmission } from '../ui/submission.ts';
import styles from './account.module.css';
import { partsText } from './parts-text.ts';
import { reloadAccount } from './queries.ts';

type Webhook = components['schemas']['Webhook'];
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
export function WebhookForm({
  webhook,
  onDone,
}: {
  readonly webhook: Webhook | null;
  readonly onDone: (secret: string) => void;
}) {
  const text = partsText();
  const submission = useSubmission();
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
      <TextField
        label={text.address}
        type="url"
        placeholder="https://"
        isRequired
        {...boundFields(typed, draft.set, submission.problems)('url')}
      />
      <TextField
        label={sharedLabels().description}
        value={typed.description ?? ''}
        onChange={(words) => draft.set({ ...typed, description: words === '' ? null : words })}
        problem={submission.problems.description}
        maxLength={1000}
      />
      <fieldset className={styles.group}>
        <legend>{text.resources}</legend>
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
      <Meanwhile
        draft={draft}
        submission={submission}
        fields={{
          url: [text.address, plainWords],
          description: [sharedLabels().description, plainWords],
          resources: [text.resources, () => null],
          robot_events: [text.robotEvents, () => null],
        }}
      />
    </Form>
  );
}
