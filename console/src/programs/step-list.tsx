import { type ClipboardEvent, type ReactNode, useState } from 'react';
import {
  Button as AriaButton,
  Checkbox as AriaCheckbox,
  GridList,
  GridListItem,
  useDragAndDrop,
} from 'react-aria-components';
import { IconButton } from '../ui/button.tsx';
import { copyText } from '../ui/copy-text.ts';
import {
  ArrowDown,
  ArrowUp,
  Check,
  ClipboardPaste,
  Copy,
  CopyPlus,
  CornerDownRight,
  GripVertical,
  Play,
  Redo2,
  Scissors,
  Trash2,
  Undo2,
  Ungroup,
} from '../ui/icons.tsx';
import { MenuButton, type MenuEntry } from '../ui/menu.tsx';
import { showToast } from '../ui/toasts.tsx';
import { parseSteps, stepsText } from './clipboard.ts';
import styles from './editor.module.css';
import { useEditor } from './editor-context.ts';
import { isNode } from './node.ts';
import type { Problem } from './problem-places.ts';
import { callType, dragItem, droppedCall, droppedSteps, stepType } from './step-drag.ts';
import {
  branchesNear,
  freeBranch,
  insertSteps,
  keyed,
  moveSteps,
  nestStep,
  nodesIn,
  type Place,
  removeSteps,
  type Step,
  shiftSteps,
  unnestStep,
} from './steps.ts';
import { summaryOf } from './summary.ts';
import { programsText } from './text.ts';
import { useTouchDrag } from './use-touch-drag.ts';
import { kindWords } from './words.ts';

export interface StepListProps {
  readonly steps: readonly Step[];
  /** By the index of the step. */
  readonly problems: ReadonlyMap<number, readonly Problem[]>;
  /** The index of the step that the robot runs now. */
  readonly running: number | null;
  readonly openKey: string | null;
  readonly onOpen: (key: string | null) => void;
  readonly onChange: (steps: readonly Step[]) => void;
  readonly onUndo: (() => void) | undefined;
  readonly onRedo: (() => void) | undefined;
  /** Opens the window to paste text into, where the clipboard cannot be read. */
  readonly onPaste: () => void;
  /** Runs one step on the robot. */
  readonly onTry: (step: Step) => void;
  /** A button to add steps. */
  readonly addButton: ReactNode;
}

const isTyping = (target: EventTarget): boolean =>
  target instanceof HTMLElement && target.closest('input:not([type=checkbox]), textarea, [contenteditable]') !== null;

const hasCall = ({ node }: Step): boolean =>
  Object.values(node.args).some((value) => isNode(value) && value.kind === 'execute');

/** The steps of a program: to open, select, move, copy and delete. */
export function StepList({
  steps,
  problems,
  running,
  openKey,
  onOpen,
  onChange,
  onUndo,
  onRedo,
  onPaste,
  onTry,
  addButton,
}: StepListProps) {
  const { names, isDisabled } = useEditor();
  const text = programsText();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = steps.filter(({ key }) => selected.has(key));

  const wordsOf = ({ node }: Step): string => `${kindWords(node.kind)} ${summaryOf(node, names)}`.trim();
  const wordsAt = (index: number): string => {
    const step = steps[index];
    return step ? wordsOf(step) : '';
  };
  const placeOf = (key: string | number, side: string): Place => ({
    key: String(key),
    side: side === 'before' ? 'before' : 'after',
  });
  const copy = (list: readonly Step[]): void => {
    if (copyText(stepsText(nodesIn(list)))) showToast({ text: text.copied(list.length) });
  };
  const remove = (list: readonly Step[]): void => {
    const keys = new Set(list.map(({ key }) => key));
    setSelected(new Set());
    if (openKey !== null && keys.has(openKey)) onOpen(null);
    onChange(removeSteps(steps, keys));
  };
  const duplicate = (list: readonly Step[]): void => {
    const last = list.at(-1);
    if (last) onChange(insertSteps(steps, keyed(nodesIn(list)), { key: last.key, side: 'after' }));
  };
  const shift = (list: readonly Step[], by: -1 | 1): void =>
    onChange(shiftSteps(steps, new Set(list.map(({ key }) => key)), by));

  const { dragAndDropHooks } = useDragAndDrop<Step>({
    isDisabled,
    getItems: (keys) =>
      steps.flatMap(({ key, node }) => (keys.has(key) ? [dragItem(node, keys.size === 1 ? key : '')] : [])),
    acceptedDragTypes: [stepType, callType],
    onReorder: ({ keys, target }) =>
      onChange(moveSteps(steps, new Set([...keys].map(String)), placeOf(target.key, target.dropPosition))),
    onInsert: async ({ items, target }) => {
      const added = keyed(await droppedSteps(items));
      onChange(insertSteps(steps, added, placeOf(target.key, target.dropPosition)));
    },
    onRootDrop: async ({ items }) => onChange(insertSteps(steps, keyed(await droppedSteps(items)), 'end')),
    shouldAcceptItemDrop: ({ key }, types) => {
      const target = steps.find((step) => step.key === key);
      return target !== undefined && types.has(callType) && freeBranch(target.node) !== undefined;
    },
    onItemDrop: async ({ items, target }) => {
      const key = await droppedCall(items);
      const into = String(target.key);
      if (key !== null && key !== '') return onChange(nestStep(steps, key, into));
      const [added] = keyed(await droppedSteps(items));
      if (added) onChange(nestStep([...steps, added], added.key, into));
    },
  });

  // With others that are selected, as with a mouse.
  const touch = useTouchDrag((key, place) =>
    onChange(moveSteps(steps, selected.has(key) ? selected : new Set([key]), place)),
  );
  const touchClass = (key: string): string =>
    touch.drag?.key === key
      ? (styles.dragged ?? '')
      : touch.drag?.place?.key === key
        ? (styles[touch.drag.place.side] ?? '')
        : '';

  /** Copies the selection, or the row with the focus. */
  const onCopy = (event: ClipboardEvent<HTMLDivElement>, isCut: boolean): void => {
    if (isTyping(event.target)) return;
    const focused = (event.target as HTMLElement).closest('[data-key]')?.getAttribute('data-key');
    const list = chosen.length > 0 ? chosen : steps.filter(({ key }) => key === focused);
    if (list.length === 0) return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', stepsText(nodesIn(list)));
    if (isCut && !isDisabled) remove(list);
    showToast({ text: text.copied(list.length) });
  };
  const onPasted = (event: ClipboardEvent<HTMLDivElement>): void => {
    if (isTyping(event.target) || isDisabled) return;
    event.preventDefault();
    const nodes = parseSteps(event.clipboardData.getData('text/plain'));
    if (!nodes) {
      showToast({ text: text.notSteps, tone: 'problem' });
      return;
    }
    const focused = (event.target as HTMLElement).closest('[data-key]')?.getAttribute('data-key');
    onChange(insertSteps(steps, keyed(nodes), focused ? { key: focused, side: 'after' } : 'end'));
  };

  const entriesOf = (step: Step, index: number): readonly MenuEntry[] => [
    { id: 'try', label: text.tryStep, icon: <Play />, onAction: () => onTry(step) },
    { id: 'up', label: text.moveUp, icon: <ArrowUp />, onAction: () => shift([step], -1), isDisabled: index === 0 },
    {
      id: 'down',
      label: text.moveDown,
      icon: <ArrowDown />,
      onAction: () => shift([step], 1),
      isDisabled: index === steps.length - 1,
    },
    { id: 'copy', label: text.copy, icon: <Copy />, onAction: () => copy([step]) },
    { id: 'duplicate', label: text.duplicate, icon: <CopyPlus />, onAction: () => duplicate([step]) },
    ...branchesNear(steps, index).map((into) => ({
      id: `into ${into}`,
      label: text.moveInto(into + 1, wordsAt(into)),
      icon: <CornerDownRight />,
      onAction: () => onChange(nestStep(steps, step.key, steps[into]?.key ?? '')),
    })),
    ...(hasCall(step)
      ? [{ id: 'out', label: text.takeOut, icon: <Ungroup />, onAction: () => onChange(unnestStep(steps, step.key)) }]
      : []),
    { id: 'delete', label: text.delete, icon: <Trash2 />, onAction: () => remove([step]), tone: 'danger' as const },
  ];

  return (
    <div
      className={styles.steps}
      onCopy={(event) => onCopy(event, false)}
      onCut={(event) => onCopy(event, true)}
      onPaste={onPasted}
      onPointerDownCapture={isDisabled ? undefined : touch.onPointerDownCapture}
    >
      {isDisabled ? null : (
        <div className={styles.toolbar} role="toolbar" aria-label={text.steps}>
          {addButton}
          <IconButton label={text.undo} icon={<Undo2 />} onPress={() => onUndo?.()} isDisabled={!onUndo} />
          <IconButton label={text.redo} icon={<Redo2 />} onPress={() => onRedo?.()} isDisabled={!onRedo} />
          <IconButton label={text.paste} icon={<ClipboardPaste />} onPress={onPaste} />
          {chosen.length > 0 ? (
            <>
              <span role="status">{text.selected(chosen.length)}</span>
              <IconButton label={text.moveUp} icon={<ArrowUp />} onPress={() => shift(chosen, -1)} />
              <IconButton label={text.moveDown} icon={<ArrowDown />} onPress={() => shift(chosen, 1)} />
              <IconButton label={text.copy} icon={<Copy />} onPress={() => copy(chosen)} />
              <IconButton
                label={text.cut}
                icon={<Scissors />}
                onPress={() => {
                  copy(chosen);
                  remove(chosen);
                }}
              />
              <IconButton label={text.duplicate} icon={<CopyPlus />} onPress={() => duplicate(chosen)} />
              <IconButton label={text.delete} icon={<Trash2 />} onPress={() => remove(chosen)} />
            </>
          ) : null}
        </div>
      )}
      <GridList
        aria-label={text.steps}
        items={steps.map((step, index) => ({ ...step, index }))}
        dependencies={[problems, running, openKey, names, steps, touch.drag]}
        selectionMode={isDisabled ? 'none' : 'multiple'}
        selectedKeys={selected}
        onSelectionChange={(keys) =>
          setSelected(keys === 'all' ? new Set(steps.map(({ key }) => key)) : new Set([...keys].map(String)))
        }
        onAction={(key) => onOpen(String(key))}
        {...(isDisabled ? {} : { dragAndDropHooks })}
        className={styles.list ?? ''}
        renderEmptyState={() => <p className={styles.empty}>{text.noSteps}</p>}
      >
        {(step) => {
          const own = problems.get(step.index) ?? [];
          const isRunning = step.index === running;
          return (
            <GridListItem
              id={step.key}
              textValue={`${step.index + 1}. ${wordsOf(step)}`}
              className={`${styles.step} ${step.key === openKey ? styles.open : ''} ${own.length > 0 ? styles.wrong : ''} ${isRunning ? styles.running : ''} ${touchClass(step.key)}`}
            >
              {isDisabled ? null : (
                <>
                  {/* The button lets all pointers through, to the drag and drop of browsers; fingers drag its row. */}
                  <span className={styles.handle} data-drag-handle>
                    <AriaButton slot="drag" className={styles.grip ?? ''} aria-label={text.drag(wordsOf(step))}>
                      <GripVertical size={18} aria-hidden="true" />
                    </AriaButton>
                  </span>
                  <AriaCheckbox slot="selection" className={styles.check ?? ''} aria-label={text.select(wordsOf(step))}>
                    <span aria-hidden="true">
                      <Check size={16} strokeWidth={3} />
                    </span>
                  </AriaCheckbox>
                </>
              )}
              <span className={styles.stepText}>
                <span className={styles.stepTitle}>
                  <span className={styles.number}>{step.index + 1}</span> {kindWords(step.node.kind)}
                </span>
                {isRunning ? <span className={styles.runs}>{text.runsNow}</span> : null}
                <span className={styles.summary}>{summaryOf(step.node, names)}</span>
                {step.node.comment ? <span className={styles.comment}># {step.node.comment}</span> : null}
                {own.map(({ path, message }) => (
                  <span key={path + message} className={styles.problem}>
                    {message}
                  </span>
                ))}
              </span>
              {isDisabled ? null : (
                <MenuButton label={text.stepMenu(wordsOf(step))} entries={entriesOf(step, step.index)} />
              )}
            </GridListItem>
          );
        }}
      </GridList>
    </div>
  );
}
