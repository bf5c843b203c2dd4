import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  Button as AriaButton,
  Checkbox as AriaCheckbox,
  Tree,
  TreeItem,
  TreeItemContent,
  useDragAndDrop,
} from 'react-aria-components';
import { createRecord, deleteRecords, updateRecord } from '../data/changes.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { hasDraft } from '../ui/draft.ts';
import { Form } from '../ui/form.tsx';
import {
  Check,
  ChevronRight,
  CopyPlus,
  FolderClosed,
  FolderInput,
  FolderPlus,
  Pencil,
  Pin,
  PinOff,
  Play,
  Plus,
  Trash2,
} from '../ui/icons.tsx';
import { MenuButton, type MenuEntry } from '../ui/menu.tsx';
import { SelectionBar } from '../ui/selection-bar.tsx';
import { showProblem } from '../ui/toasts.tsx';
import editorStyles from './editor.module.css';
import { type Folder, type FolderForm, FolderSelect } from './folder-dialog.tsx';
import { type FolderNode, folderTree, mayMove, type Order, sorted } from './folder-tree.ts';
import { contentOf, draftOf, type Program } from './program-draft.ts';
import styles from './programs.module.css';
import { programsText } from './text.ts';
import { useUses } from './use-list.tsx';
import { draftKey } from './use-program-draft.ts';

export interface ProgramTreeProps {
  readonly programs: readonly Program[];
  readonly folders: readonly Folder[];
  readonly order: Order;
  /** Without folders: the results of a search. */
  readonly isFlat: boolean;
  readonly onEditFolder: (form: FolderForm) => void;
}

const rowType = 'application/x-potager-program';
const keyOf = (kind: 'folder' | 'program', id: number): string => `${kind} ${id}`;
const idOf = (key: string): number => Number(key.split(' ')[1]);
const isFolderKey = (key: string): boolean => key.startsWith('folder ');
const attempt = (work: Promise<unknown>): void => void work.catch(showProblem);

/** The programs in their folders. A row leads to its program; rows can be dragged into folders. */
export function ProgramTree({ programs, folders, order, isFlat, onEditFolder }: ProgramTreeProps) {
  const text = programsText();
  const navigate = useNavigate();
  const mayWrite = useMayWrite();
  const uses = useUses();
  const [moved, setMoved] = useState<readonly Program[]>([]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = programs.filter(({ id }) => selected.has(keyOf('program', id)));
  const clear = (): void => setSelected(new Set());
  const moveMany = (some: readonly Program[], folder: number): void =>
    attempt(
      undoable(text.moved, (label) =>
        Promise.all(
          some.map(({ id }) =>
            updateRecord(
              'sequences',
              id,
              { folder_id: folder },
              { label, shown: { folder_id: folder === 0 ? null : folder } },
            ),
          ),
        ),
      ).then(clear),
    );
  const deleteMany = (some: readonly Program[]): void =>
    attempt(
      undoable(some.length === 1 ? text.deleted(some[0]?.name ?? '') : text.deletedMany(some.length), (label) =>
        deleteRecords(
          'sequences',
          some.map(({ id }) => id),
          { label },
        ),
      ).then(clear),
    );
  const tree = isFlat ? { folders: [], programs: sorted(programs, order) } : folderTree(folders, programs, order);

  const moveTo = (key: string, folder: number): void => {
    const id = idOf(key);
    const place = folder === 0 ? null : folder;
    if (isFolderKey(key)) {
      if (mayMove(folders, id, place))
        attempt(
          undoable(text.moved, (label) =>
            updateRecord('folders', id, { parent_id: folder }, { label, shown: { parent_id: place } }),
          ),
        );
    } else
      attempt(
        undoable(text.moved, (label) =>
          updateRecord('sequences', id, { folder_id: folder }, { label, shown: { folder_id: place } }),
        ),
      );
  };
  const moveAll = async (items: readonly { readonly kind: string }[], folder: number): Promise<void> => {
    for (const item of items)
      if ('getText' in item && typeof item.getText === 'function') moveTo(await item.getText(rowType), folder);
  };
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ [rowType]: String(key) })),
    acceptedDragTypes: [rowType],
    shouldAcceptItemDrop: ({ key }) => isFolderKey(String(key)),
    onItemDrop: ({ items, target }) => moveAll(items, idOf(String(target.key))),
    onRootDrop: ({ items }) => moveAll(items, 0),
  });

  const open = (id: number, view?: 'run'): void =>
    void navigate({ to: '/programs/$id', params: { id: String(id) }, search: view ? { view } : {} });
  const duplicate = async (program: Program): Promise<void> => {
    const copy = { ...contentOf(draftOf(program)), name: text.copyOf(program.name) };
    const { description, ...content } = copy;
    await undoable(text.created(copy.name), (label) =>
      createRecord(
        'sequences',
        {
          ...content,
          ...(description.trim() === '' ? {} : { description }),
          ...(program.folder_id === null ? {} : { folder_id: program.folder_id }),
        },
        { label },
      ),
    );
  };
  const programEntries = (program: Program): readonly MenuEntry[] => [
    { id: 'run', label: text.run, icon: <Play />, onAction: () => open(program.id, 'run') },
    {
      id: 'pin',
      label: program.pinned ? text.unpin : text.pin,
      icon: program.pinned ? <PinOff /> : <Pin />,
      onAction: () =>
        attempt(
          undoable(program.pinned ? text.unpinned : text.pinned, (label) =>
            updateRecord('sequences', program.id, { pinned: !program.pinned }, { label }),
          ),
        ),
    },
    {
      id: 'duplicate',
      label: text.duplicate,
      icon: <CopyPlus />,
      onAction: () => attempt(duplicate(program)),
    },
    {
      id: 'move',
      label: text.moveToFolder,
      icon: <FolderInput />,
      onAction: () => setMoved([program]),
    },
    {
      id: 'delete',
      label: text.delete,
      icon: <Trash2 />,
      tone: 'danger',
      onAction: () => deleteMany([program]),
    },
  ];
  const folderEntries = (folder: Folder): readonly MenuEntry[] => [
    {
      id: 'new',
      label: text.newProgramHere,
      icon: <Plus />,
      onAction: () =>
        attempt(
          undoable(text.created(text.newName), (label) =>
            createRecord('sequences', { name: text.newName, body: [], folder_id: folder.id }, { label }),
          ).then(({ id }) => navigate({ to: '/programs/$id', params: { id: String(id) }, search: { view: 'about' } })),
        ),
    },
    {
      id: 'folder',
      label: text.newFolderHere,
      icon: <FolderPlus />,
      onAction: () => onEditFolder({ parent: folder.id }),
    },
    {
      id: 'edit',
      label: text.editFolder,
      icon: <Pencil />,
      onAction: () => onEditFolder({ folder }),
    },
    {
      id: 'delete',
      label: text.delete,
      icon: <Trash2 />,
      tone: 'danger',
      onAction: () =>
        attempt(undoable(text.deleted(folder.name), (label) => deleteRecords('folders', [folder.id], { label }))),
    },
  ];

  const programRow = (program: Program) => {
    const count = uses.get(program.id)?.length ?? 0;
    return (
      <TreeItem
        key={keyOf('program', program.id)}
        id={keyOf('program', program.id)}
        textValue={program.name}
        onAction={() => open(program.id)}
        className={`${styles.row} ${mayWrite && !isFlat ? '' : styles.bare}`}
      >
        <TreeItemContent>
          {mayWrite && !isFlat ? <DragHandle label={text.drag(program.name)} /> : null}
          {mayWrite ? (
            <AriaCheckbox slot="selection" className={editorStyles.check ?? ''} aria-label={text.select(program.name)}>
              <span aria-hidden="true">
                <Check size={16} strokeWidth={3} />
              </span>
            </AriaCheckbox>
          ) : null}
          <span className={styles.color} data-color={program.color} aria-hidden="true" />
          <span className={styles.label}>
            <span className={styles.name}>{program.name}</span>
            <span className={styles.badges}>
              {program.pinned ? <Pin size={16} aria-label={text.pinnedBadge} /> : null}
              {hasDraft(draftKey(program.id)) ? <span className={styles.draft}>{text.unsaved}</span> : null}
              {program.sequence_version_id === null ? null : <span>{text.installed}</span>}
              {count > 0 ? <span>{text.usedTimes(count)}</span> : null}
            </span>
          </span>
          {mayWrite ? <MenuButton label={text.menuOf(program.name)} entries={programEntries(program)} /> : null}
        </TreeItemContent>
      </TreeItem>
    );
  };
  const folderRow = ({ folder, folders: inner, programs: own }: FolderNode<Folder, Program>) => (
    <TreeItem
      key={keyOf('folder', folder.id)}
      id={keyOf('folder', folder.id)}
      textValue={folder.name}
      className={`${styles.row} ${mayWrite ? '' : styles.bareEnd}`}
    >
      <TreeItemContent>
        {({ isExpanded }) => (
          <>
            <AriaButton slot="chevron" className={styles.chevron ?? ''}>
              <ChevronRight size={18} aria-hidden="true" data-expanded={isExpanded || undefined} />
            </AriaButton>
            {mayWrite ? <DragHandle label={text.drag(folder.name)} /> : null}
            <FolderClosed size={18} className={styles.folder ?? ''} data-color={folder.color} aria-hidden="true" />
            <span className={styles.label}>
              <span className={styles.name}>{folder.name}</span>
              <span className={styles.badges}>{text.programCount(own.length)}</span>
            </span>
            {mayWrite ? <MenuButton label={text.menuOf(folder.name)} entries={folderEntries(folder)} /> : null}
          </>
        )}
      </TreeItemContent>
      {inner.map(folderRow)}
      {own.map(programRow)}
    </TreeItem>
  );

  return (
    <>
      <SelectionBar count={chosen.length} onClear={clear}>
        <Button icon={<FolderInput />} onPress={() => setMoved(chosen)}>
          {text.moveToFolder}
        </Button>
        <Button tone="danger" icon={<Trash2 />} onPress={() => deleteMany(chosen)}>
          {text.delete}
        </Button>
      </SelectionBar>
      <Tree
        // Whether rows can be dragged never changes in one tree.
        key={isFlat ? 'found' : 'folders'}
        aria-label={text.title}
        selectionMode={mayWrite ? 'multiple' : 'none'}
        selectedKeys={selected}
        onSelectionChange={(keys) =>
          setSelected(new Set(keys === 'all' ? programs.map(({ id }) => keyOf('program', id)) : [...keys].map(String)))
        }
        disabledKeys={folders.map(({ id }) => keyOf('folder', id))}
        disabledBehavior="selection"
        defaultExpandedKeys={folders.map(({ id }) => keyOf('folder', id))}
        {...(mayWrite && !isFlat ? { dragAndDropHooks } : {})}
        className={styles.tree ?? ''}
      >
        {tree.folders.map(folderRow)}
        {tree.programs.map(programRow)}
      </Tree>
      {moved.length > 0 ? (
        <MoveDialog
          within={moved[0]?.folder_id ?? null}
          folders={folders}
          onClose={() => setMoved([])}
          onMove={(folder) => moveMany(moved, folder)}
        />
      ) : null}
    </>
  );
}

const DragHandle = ({ label }: { readonly label: string }) => (
  <AriaButton slot="drag" className={styles.grip ?? ''} aria-label={label}>
    <span aria-hidden="true">⠿</span>
  </AriaButton>
);

interface MoveDialogProps {
  /** The folder that is chosen first. */
  readonly within: number | null;
  readonly folders: readonly Folder[];
  readonly onClose: () => void;
  readonly onMove: (folder: number) => void;
}

function MoveDialog({ within, folders, onClose, onMove }: MoveDialogProps) {
  const text = programsText();
  const [folder, setFolder] = useState(within ?? 0);
  return (
    <Dialog title={text.moveToFolder} isOpen onClose={onClose}>
      <Form
        onSubmit={() => {
          onMove(folder);
          onClose();
        }}
        submit={text.move}
      >
        <FolderSelect value={folder} onChange={setFolder} folders={folders} />
      </Form>
    </Dialog>
  );
}
