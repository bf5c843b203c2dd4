import { useState } from 'react';
import { api } from '../data/api.ts';
import { listKey } from '../data/collections.ts';
import { queryClient } from '../data/query-client.ts';
import { singleQueries } from '../data/singles.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { OtherProblems } from '../ui/submission-problems.tsx';
import { showToast } from '../ui/toasts.tsx';
import styles from './editor.module.css';
import { useEditor } from './editor-context.ts';
import type { Program } from './program-draft.ts';
import { programsText } from './text.ts';

const reload = (): Promise<void> => queryClient.invalidateQueries({ queryKey: listKey('sequences') });

/** Publishes a program for others, or takes over a newer version of an installed one. */
export function SharingPanel({ program, isChanged }: { program: Program; isChanged: boolean }) {
  const text = programsText();
  const isInstalled = program.sequence_version_id !== null;
  return (
    <div className={styles.panelContent}>
      <h2>{text.sharing}</h2>
      {isChanged ? <Notice>{text.sharesStored}</Notice> : null}
      {isInstalled ? <Installed program={program} /> : <Publishing program={program} />}
    </div>
  );
}

function Installed({ program }: { readonly program: Program }) {
  const { isDisabled } = useEditor();
  const text = programsText();
  const submission = useSubmission();
  const { id, sequence_version_id: version, sequence_versions: versions, forked } = program;
  const newest = Math.max(...versions, 0);
  const upgrade = async (): Promise<void> => {
    const isDone = await submission.run(() =>
      api.POST('/api/sequences/{id}/upgrade/{sequence_version_id}', {
        params: { path: { id, sequence_version_id: newest } },
      }),
    );
    if (!isDone) return;
    await reload();
    showToast({ text: text.upgraded });
  };
  return (
    <>
      <p>{text.installedFrom(version ?? 0)}</p>
      {program.copyright ? <p>{program.copyright}</p> : null}
      {forked ? <Notice>{text.forked}</Notice> : null}
      <OtherProblems of={submission} />
      {newest > (version ?? 0) || (forked && newest > 0) ? (
        <Button tone="primary" onPress={() => void upgrade()} isDisabled={isDisabled || submission.isPending}>
          {text.upgradeTo(newest)}
        </Button>
      ) : (
        <p>{text.upToDate}</p>
      )}
    </>
  );
}

function Publishing({ program }: { readonly program: Program }) {
  const { isDisabled } = useEditor();
  const text = programsText();
  const [copyright, setCopyright] = useState(program.copyright ?? '');
  const submission = useSubmission({ copyright });
  const { id, sequence_versions: versions } = program;
  const send = async (request: () => Promise<unknown>, sentence: string): Promise<void> => {
    if (!(await submission.run(request))) return;
    await reload();
    await queryClient.invalidateQueries({ queryKey: singleQueries.device.queryKey });
    showToast({ text: sentence });
  };
  const params = { path: { id } };
  return (
    <>
      <p>{text.publishHint}</p>
      {versions.length > 0 ? <Notice tone="success">{text.published(versions.join(', '))}</Notice> : null}
      <Form
        onSubmit={() =>
          send(() => api.POST('/api/sequences/{id}/publish', { params, body: { copyright } }), text.publishedNow)
        }
        submit={versions.length > 0 ? text.publishAgain : text.publish}
        submission={submission}
        fields={['copyright']}
        isDisabled={isDisabled}
        actions={
          versions.length > 0 ? (
            <ConfirmButton
              tone="danger"
              isDisabled={isDisabled || submission.isPending}
              word={text.unpublish}
              title={text.unpublish}
              hint={text.unpublishHint}
              onConfirm={() =>
                void send(() => api.POST('/api/sequences/{id}/unpublish', { params }), text.unpublishedNow)
              }
            />
          ) : null
        }
      >
        <TextField
          label={text.copyright}
          value={copyright}
          onChange={setCopyright}
          problem={submission.problems.copyright}
          isRequired
        />
      </Form>
    </>
  );
}
