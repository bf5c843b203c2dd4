import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { createRecord } from '../data/changes.ts';
import { listKey, useRecords } from '../data/collections.ts';
import { attempt } from '../data/confirmation.ts';
import { queryClient } from '../data/query-client.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { errorMessage } from '../ui/error-message.ts';
import { Select, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { FolderPlus, Plus, Share2 } from '../ui/icons.tsx';
import { EmptyState, Notice, Page } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { OtherProblems } from '../ui/submission-problems.tsx';
import { FolderDialog, type FolderForm } from './folder-dialog.tsx';
import { type Order, orders, searched } from './folder-tree.ts';
import { ProgramTree } from './program-tree.tsx';
import styles from './programs.module.css';
import { programsText } from './text.ts';

const programsRoute = getRouteApi('/garden/programs');

/** All programs in their folders. */
export function ProgramsPage() {
  const text = programsText();
  const navigate = useNavigate();
  const search = programsRoute.useSearch();
  const { find = '', order = 'name', shared = false } = search;
  const mayWrite = useMayWrite();
  const programs = useRecords('sequences');
  const folders = useRecords('folders');
  const [folderForm, setFolderForm] = useState<FolderForm | null>(null);
  const found = find === '' ? programs : searched(programs, folders, find);

  const filter = (change: { find?: string; order?: Order; shared?: boolean }): void => {
    const next = { ...search, ...change };
    void navigate({
      to: '/programs',
      search: {
        ...(next.find ? { find: next.find } : {}),
        ...(next.order && next.order !== 'name' ? { order: next.order } : {}),
        ...(next.shared ? { shared: true as const } : {}),
      },
      replace: true,
    });
  };
  const creation = useSubmission();
  const create = () =>
    attempt(async () => {
      const program = await undoable(text.created(text.newName), (label) =>
        createRecord('sequences', { name: text.newName, body: [] }, { label }),
      );
      await navigate({ to: '/programs/$id', params: { id: String(program.id) }, search: { view: 'about' } });
    });

  const createButton = (
    <Button
      tone="primary"
      icon={<Plus />}
      onPress={() => void creation.run(create)}
      // Once, however often it is pressed.
      isPending={creation.isPending}
    >
      {text.newProgram}
    </Button>
  );
  const isEmpty = programs.length === 0 && folders.length === 0;
  return (
    <Page
      title={text.title}
      actions={
        mayWrite ? (
          <>
            <IconButton
              label={text.sharedPrograms}
              icon={<Share2 />}
              tone="plain"
              onPress={() => filter({ shared: true })}
            />
            <IconButton
              label={text.newFolder}
              icon={<FolderPlus />}
              tone="plain"
              onPress={() => setFolderForm({ parent: null })}
            />
            {isEmpty ? null : createButton}
          </>
        ) : null
      }
      bar={
        isEmpty ? null : (
          <div className={styles.filters}>
            <TextField label={text.search} type="search" value={find} onChange={(next) => filter({ find: next })} />
            <Select
              label={text.order}
              value={order}
              choices={orders.map((each) => ({ value: each, label: text.orders[each] }))}
              onChange={(next) => filter({ order: next })}
            />
          </div>
        )
      }
    >
      {isEmpty ? (
        <EmptyState title={text.noPrograms} action={mayWrite ? createButton : null}>
          {mayWrite ? text.noProgramsHint : null}
        </EmptyState>
      ) : found.length === 0 && find !== '' ? (
        <p role="status">{text.nothingFound}</p>
      ) : (
        <ProgramTree
          programs={found}
          folders={folders}
          order={order}
          isFlat={find !== ''}
          onEditFolder={setFolderForm}
        />
      )}
      {folderForm ? <FolderDialog form={folderForm} folders={folders} onClose={() => setFolderForm(null)} /> : null}
      <SharedPrograms isOpen={shared && mayWrite} onClose={() => filter({ shared: false })} />
    </Page>
  );
}

/** The id at the end of the input: an id, or an address of a shared program. */
const versionIn = (typed: string): number => Number(/(\d+)\/?\s*$/.exec(typed)?.[1] ?? 0);

/** Programs that others offer, to install. */
function SharedPrograms({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
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
