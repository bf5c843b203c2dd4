import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { listKey } from '../data/collections.ts';
import { queryClient } from '../data/query-client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { errorMessage } from '../ui/error-message.ts';
import { TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { OtherProblems } from '../ui/submission-problems.tsx';
import styles from './programs.module.css';
import { programsText } from './text.ts';

/** The id at the end of the input: an id, or an address of a shared program. */
const versionIn = (typed: string): number => Number(/(\d+)\/?\s*$/.exec(typed)?.[1] ?? 0);

/** Programs that others offer, to install. */
export function SharedPrograms({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const text = programsText();
  const navigate = useNavigate();
  const submission = useSubmission();
  const [typed, setTyped] = useState('');
  const { data: featured = [], error } = useQuery({
    queryKey: ['featured programs'],
    queryFn: () => bodyOf(api.GET('/api/featured_sequences')),
    enabled: isOpen,
  });
  const install = async (version: number): Promise<void> => {
    let id = 0;
    const isDone = await submission.run(async () => {
      ({ id } = await bodyOf(api.POST('/api/sequences/{id}/install', { params: { path: { id: version } } })));
      await queryClient.invalidateQueries({ queryKey: listKey('sequences') });
    });
    if (isDone) await navigate({ to: '/programs/$id', params: { id: String(id) }, search: { view: 'sharing' } });
  };
  return (
    <Dialog title={text.sharedPrograms} isOpen={isOpen} onClose={onClose}>
      <OtherProblems of={submission} />
      {error ? <Notice tone="danger">{errorMessage(error)}</Notice> : null}
      {featured.length > 0 ? (
        <ul className={styles.shared}>
          {featured.map(({ id, name, description, color }) => (
            <li key={id}>
              <span className={styles.color} data-color={color} aria-hidden="true" />
              <span className={styles.name}>
                <strong>{name}</strong>
                {description ? <span>{description}</span> : null}
              </span>
              <Button
                onPress={() => void install(id)}
                isDisabled={submission.isPending}
                aria-label={text.installOf(name)}
              >
                {text.install}
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        <p>{text.nothingFeatured}</p>
      )}
      <Form
        onSubmit={() => void install(versionIn(typed))}
        submit={text.install}
        isDisabled={submission.isPending || versionIn(typed) === 0}
      >
        <TextField label={text.versionNumber} hint={text.versionHint} value={typed} onChange={setTyped} />
      </Form>
    </Dialog>
  );
}
