import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createRecord } from '../data/changes.ts';
import { useRecords } from '../data/collections.ts';
import { attempt } from '../data/confirmation.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Button, IconButton, linkClass } from '../ui/button.tsx';
import { Select, TextField } from '../ui/fields.tsx';
import { FolderPlus, Plus, Share2 } from '../ui/icons.tsx';
import { EmptyState, Page } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
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
  const { find = '', order = 'name' } = search;
  const mayWrite = useMayWrite();
  const programs = useRecords('sequences');
  const folders = useRecords('folders');
  const [folderForm, setFolderForm] = useState<FolderForm | null>(null);
  const found = find === '' ? programs : searched(programs, folders, find);

  const filter = (change: { find?: string; order?: Order }): void => {
    const next = { ...search, ...change };
    void navigate({
      to: '/programs',
      search: {
        ...(next.find ? { find: next.find } : {}),
        ...(next.order && next.order !== 'name' ? { order: next.order } : {}),
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
            <Link to="/programs/shared" className={linkClass}>
              <Share2 aria-hidden="true" />
              {text.sharedPrograms}
            </Link>
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
    </Page>
  );
}
