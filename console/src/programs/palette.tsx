import { useState } from 'react';
import { Button as AriaButton, GridList, GridListItem, useDragAndDrop } from 'react-aria-components';
import { TextField } from '../ui/fields.tsx';
import { GripVertical } from '../ui/icons.tsx';
import { plain } from '../ui/letters.ts';
import { compareNames } from '../ui/natural-order.ts';
import styles from './editor.module.css';
import { useEditor } from './editor-context.ts';
import type { Grammar } from './grammar.ts';
import { dragItem } from './step-drag.ts';
import { programsText } from './text.ts';
import { aboutWords, kindWords } from './words.ts';

const groups = ['machine', 'logic', 'general', 'system', 'danger'] as const;
type Group = (typeof groups)[number];

/** The group of a kind of steps by the tags that the language gives it. */
function groupOf(grammar: Grammar, kind: string): Group {
  const tags = grammar.tags(kind);
  // It switches the robot off, or replaces its software or that of its motors.
  if (tags.includes('cuts_power') || (tags.includes('disk_user') && tags.includes('firmware_user'))) return 'danger';
  if (tags.includes('*')) return 'logic';
  if (tags.includes('network_user')) return 'system';
  return tags.includes('firmware_user') ? 'machine' : 'general';
}

/** Whether a keyboard would cover the list: where fingers point. */
const hasTouch = (): boolean => matchMedia('(pointer: coarse)').matches;

/** All kinds of steps, to press; beside the program also to drag into it. */
export function Palette({
  onAdd,
  isDialog = false,
}: {
  readonly onAdd: (kind: string) => void;
  readonly isDialog?: boolean;
}) {
  const { grammar } = useEditor();
  const [search, setSearch] = useState('');
  const text = programsText();
  const wanted = plain(search.trim());
  const kinds = grammar.steps
    .filter((kind) => plain(`${kindWords(kind)} ${kind}`).includes(wanted))
    .sort((a, b) => compareNames(kindWords(a), kindWords(b)));
  return (
    <div className={styles.palette}>
      <TextField
        label={text.findStep}
        type="search"
        value={search}
        onChange={setSearch}
        autoFocus={isDialog && !hasTouch()}
      />
      {kinds.length === 0 ? <p>{text.noStep}</p> : null}
      {groups.map((group) => {
        const own = kinds.filter((kind) => groupOf(grammar, kind) === group);
        return own.length > 0 ? (
          <PaletteGroup
            key={group}
            group={group}
            kinds={own}
            onAdd={onAdd}
            isDialog={isDialog}
            // Opened on purpose, or by a search for one of them.
            isClosed={group === 'danger' && wanted === ''}
          />
        ) : null;
      })}
    </div>
  );
}

interface PaletteGroupProps {
  readonly group: Group;
  readonly kinds: readonly string[];
  readonly onAdd: (kind: string) => void;
  readonly isDialog: boolean;
  readonly isClosed: boolean;
}

function PaletteGroup({ group, kinds, onAdd, isDialog, isClosed }: PaletteGroupProps) {
  const { grammar } = useEditor();
  const text = programsText();
  const title = text.groups[group];
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((kind) => dragItem(grammar.newNode(String(kind)))),
    getAllowedDropOperations: () => ['copy'],
  });
  return (
    <details key={String(isClosed)} open={!isClosed} className={group === 'danger' ? styles.danger : undefined}>
      <summary>
        <h3>{title}</h3>
      </summary>
      <GridList
        aria-label={title}
        items={kinds.map((kind) => ({ id: kind }))}
        {...(isDialog ? {} : { dragAndDropHooks })}
        onAction={(kind) => onAdd(String(kind))}
        className={styles.kinds ?? ''}
      >
        {({ id: kind }) => (
          <GridListItem id={kind} textValue={kindWords(kind)} className={styles.kind ?? ''}>
            {isDialog ? null : (
              <AriaButton slot="drag" aria-label={text.drag(kindWords(kind))} className={styles.grip ?? ''}>
                <GripVertical size={16} aria-hidden="true" />
              </AriaButton>
            )}
            <span title={aboutWords(kind) ?? grammar.description(kind)}>{kindWords(kind)}</span>
          </GridListItem>
        )}
      </GridList>
    </details>
  );
}
