import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { attempt, confirmedApi } from '../data/confirmation.ts';
import { gardenId, setSession } from '../data/session.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { useGardens } from '../data/singles.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { ShownOnce } from '../ui/copyable.tsx';
import { useDraft } from '../ui/draft.ts';
import { Entries, Entry } from '../ui/entries.tsx';
import { TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Card } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { partsText } from './parts-text.ts';
import { changeAccount, reloadAccount } from './queries.ts';

/** Signs this tab in to another garden of the user. Throws an ApiError. */
async function switchTo(id: number): Promise<void> {
  setSession(await bodyOf(api.POST('/api/gardens/{id}/token', { params: { path: { id } } })));
  // All shown data are of the previous garden.
  location.assign(`${import.meta.env.BASE_URL}map`);
}

/** The gardens of the user. */
export function Gardens() {
  const text = partsText();
  const gardens = useGardens();
  const [password, setPassword] = useState<string | null>(null);
  const [name, setName, endDraft] = useDraft('garden', '');
  const submission = useSubmission({ name });
  const make = () =>
    submission.run(
      async () => setPassword((await bodyOf(confirmedApi.POST('/api/gardens', { body: { name } }))).robot_password),
      () => {
        endDraft('');
        return reloadAccount();
      },
    );
  const renew = (id: number) =>
    changeAccount(async () => {
      const renewed = confirmedApi.POST('/api/gardens/{id}/robot_password', { params: { path: { id } } });
      setPassword((await bodyOf(renewed)).robot_password);
    });
  return (
    <>
      <Card title={text.parts.gardens}>
        <p>{text.gardensHint}</p>
        <Entries label={text.parts.gardens}>
          {gardens.map((garden) => {
            const isCurrent = garden.id === gardenId();
            return (
              <Entry
                key={garden.id}
                title={garden.name}
                mark={isCurrent ? text.current : null}
                details={[
                  [text.roles[garden.role], garden.is_home ? text.ownGarden : null].filter(Boolean).join(' · '),
                ]}
                controls={
                  <>
                    {isCurrent ? null : (
                      <Button
                        aria-label={text.switchTo(garden.name)}
                        onPress={() => void attempt(() => switchTo(garden.id))}
                      >
                        {text.switch}
                      </Button>
                    )}
                    {garden.role === 'owner' && !garden.is_home ? (
                      <ConfirmButton
                        word={text.renewRobotPassword}
                        label={text.renewOf(garden.name)}
                        title={text.renewTitle(garden.name)}
                        hint={text.renewHint}
                        onConfirm={() => void renew(garden.id)}
                      />
                    ) : null}
                  </>
                }
              />
            );
          })}
        </Entries>
      </Card>
      <Card title={text.newGarden}>
        <Form onSubmit={make} submit={text.makeGarden} submission={submission} fields={['name']}>
          <TextField
            label={sharedLabels().name}
            value={name}
            onChange={setName}
            problem={submission.problems.name}
            maxLength={80}
            isRequired
          />
        </Form>
      </Card>
      <ShownOnce
        label={text.robotPassword}
        hint={text.robotPasswordHint}
        value={password}
        onClose={() => setPassword(null)}
      />
    </>
  );
}
