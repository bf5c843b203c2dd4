import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { updateRecord } from '../data/changes.ts';
import type { RobotProgram } from '../data/commands.ts';
import { useRunningStep } from '../data/robot.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Part } from '../ui/failure.tsx';
import { FieldsDisabled } from '../ui/fields-disabled.ts';
import { ArrowLeft, FileText, Info, Play, Plus, Save, Share2 } from '../ui/icons.tsx';
import { Page } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { Tabs, tabClass } from '../ui/tabs.tsx';
import { showToast } from '../ui/toasts.tsx';
import styles from './editor.module.css';
import { EditorContext, useGrammar, useProgramRecords, useRecordNames } from './editor-context.ts';
import { EditorNotices } from './editor-notices.tsx';
import type { ProgramNode } from './node.ts';
import { Palette } from './palette.tsx';
import { allViews, type View } from './panel-views.ts';
import { PasteDialog } from './paste-dialog.tsx';
import { locateProblems } from './problem-places.ts';
import { changeOf, draftOf, fingerprint, type Program, type ProgramDraft } from './program-draft.ts';
import { RunPanel } from './run-panel.tsx';
import { SharingPanel } from './sharing-panel.tsx';
import { StepList } from './step-list.tsx';
import { StepPanel } from './step-panel.tsx';
import { insertSteps, keyed, replaceStep, type Step } from './steps.ts';
import { programsText } from './text.ts';
import { TextPanel } from './text-panel.tsx';
import { useFocusReturn, usePanel } from './use-panel.ts';
import { usePanelPlace } from './use-panel-place.ts';
import { useProgramCheck } from './use-program-check.ts';
import { useEditorKeys, useProgramDraft } from './use-program-draft.ts';
import { useRun } from './use-run.ts';
import { AboutPanel } from './variables-panel.tsx';
import { kindWords } from './words.ts';

/** The parts for people who only read. */
const viewerViews: readonly View[] = ['about', 'text'];
const viewIcons = { about: Info, run: Play, text: FileText, sharing: Share2 } as const;

/** The editor of a program: the steps to add, its steps, and a panel for the open step or the whole program. */
export function ProgramEditor({ program }: { readonly program: Program }) {
  const text = programsText();
  const { step: number, view, entry, show, close } = usePanel(program.id);
  const list = useRef<HTMLElement>(null);
  const isDisabled = !useMayWrite();
  const grammar = useGrammar();
  const records = useProgramRecords();
  const names = useRecordNames(records);
  const editing = useProgramDraft(program);
  const { draft, isChanged, isConflict, change } = editing;
  const checking = useProgramCheck(program.id, draft);
  const places = useMemo(() => locateProblems(checking.problems), [checking.problems]);
  const submission = useSubmission(draft);
  const run = useRun();
  const running = useRunningStep(program.id);
  /** Announcements of screen readers: additions, undo and redo. The number makes the same words new. */
  const [news, setNews] = useState({ number: 0, words: '' });
  const say = (words: string): void => setNews(({ number: before }) => ({ number: before + 1, words }));
  /** The number of attempts to save it since it was last without problems. */
  const [refusals, setRefusals] = useState(0);
  const [dialog, setDialog] = useState<'add' | 'paste' | null>(null);
  const opened = number === undefined ? undefined : draft.steps[number - 1];
  useFocusReturn(list, opened?.key ?? null, view !== undefined);
  const views = isDisabled ? viewerViews : allViews;
  const shown = views.find((each) => each === view) ?? 'about';
  const panelColumn = useRef<HTMLElement>(null);
  usePanelPlace(panelColumn, opened?.key ?? shown);

  const openStep = (key: string | null, steps = draft.steps): void => {
    const index = steps.findIndex((step) => step.key === key);
    show(index < 0 ? {} : { step: index + 1 });
  };
  const changeSteps = (steps: readonly Step[], open = opened?.key ?? null, mark: string | null = null): void => {
    if (steps !== editing.current().steps) change({ ...editing.current(), steps }, mark);
    // The open step stays open where it moves to.
    if (number !== undefined || open !== null) openStep(open, steps);
  };
  const addNodes = (nodes: readonly ProgramNode[]): void => {
    const added = keyed(nodes);
    const { steps } = editing.current();
    const next = insertSteps(steps, added, opened ? { key: opened.key, side: 'after' } : 'end');
    const last = added.at(-1);
    changeSteps(next, last?.key);
    if (last) say(text.addedAs(kindWords(last.node.kind), next.indexOf(last) + 1));
    setDialog(null);
  };

  const save = async (): Promise<void> => {
    // A number is applied on blur.
    const focused = document.activeElement;
    if (focused instanceof HTMLInputElement) flushSync(() => focused.blur());
    const sent = editing.current();
    if (isConflict || fingerprint(sent) === fingerprint(draftOf(program))) return;
    const isDone = await submission.run(async () => {
      const problems = await checking.check(sent);
      setRefusals(problems.length > 0 ? refusals + 1 : 0);
      if (problems.length > 0) return;
      const stored = await undoable(text.savedAs(sent.name), (label) =>
        updateRecord('sequences', program.id, changeOf(program, sent), { label, shown: {} }),
      );
      editing.saved(stored, sent);
    });
    if (!isDone) return;
    if (focused instanceof HTMLInputElement) focused.focus();
  };
  const undo = (): void => {
    if (!editing.canUndo) return;
    editing.undo();
    say(text.undone);
  };
  const redo = (): void => {
    if (!editing.canRedo) return;
    editing.redo();
    say(text.redone);
  };
  useEditorKeys({ undo, redo, save: () => void save() });
  useEffect(() => {
    // Problems of later steps did not keep it from being saved, and a list that pops up moves the choices.
    if (checking.isStorable) setRefusals(0);
  }, [checking.isStorable]);
  useKeptNotice(isChanged, draft.name);

  const context = useMemo(
    () => ({ grammar, records, names, declarations: draft.variables, isDisabled }),
    [grammar, records, names, draft.variables, isDisabled],
  );
  const panel = opened ? (
    <StepPanel
      key={opened.key}
      node={opened.node}
      number={number ?? 0}
      problems={places.steps.get((number ?? 0) - 1) ?? []}
      onChange={(node, mark) =>
        change(
          { ...editing.current(), steps: replaceStep(editing.current().steps, opened.key, node) },
          mark && `${opened.key}/${mark}`,
        )
      }
    />
  ) : (
    {
      about: () => (
        <AboutPanel
          id={program.id}
          draft={draft}
          onChange={(next: ProgramDraft, mark) => change(next, mark)}
          problems={places.variables}
          fieldProblems={submission.problems}
        />
      ),
      run: () => <RunPanel program={program} run={run} running={running} isChanged={isChanged} />,
      text: () => <TextPanel program={program} isChanged={isChanged} />,
      sharing: () => <SharingPanel program={program} isChanged={isChanged} />,
    }[shown]()
  );

  return (
    <EditorContext value={context}>
      <FieldsDisabled value={isDisabled}>
        <Page
          title={draft.name || text.unnamed}
          width="full"
          actions={
            <>
              <span role="status" className={styles.hidden}>
                <span key={news.number}>{news.words}</span>
              </span>
              {isDisabled ? null : (
                <>
                  <span role="status">{isChanged ? text.unsaved : text.saved}</span>
                  <Button
                    tone="primary"
                    icon={<Save />}
                    onPress={() => void save()}
                    isPending={submission.isPending}
                    isDisabled={isConflict}
                  >
                    {text.save}
                  </Button>
                </>
              )}
            </>
          }
          bar={
            <Tabs label={text.views}>
              <Link to="/programs" search={{}} activeOptions={{ exact: true }} className={tabClass}>
                <ArrowLeft size={18} aria-hidden="true" />
                {text.title}
              </Link>
              {views.map((each) => {
                const Icon = viewIcons[each];
                return (
                  <Link
                    key={each}
                    to="/programs/$id"
                    params={{ id: String(program.id) }}
                    search={{ view: each }}
                    {...entry}
                    className={`${tabClass} ${opened || view ? '' : styles.beside}`}
                    aria-current={!opened && shown === each ? 'true' : undefined}
                  >
                    <Icon size={18} aria-hidden="true" />
                    {text.viewNames[each]}
                  </Link>
                );
              })}
            </Tabs>
          }
        >
          <EditorNotices
            editing={editing}
            checking={checking}
            places={places}
            submission={submission}
            refusals={checking.isStorable ? 0 : refusals}
            onOpen={(index) => show({ step: index + 1 })}
          />
          <div
            className={`${styles.editor} ${isDisabled ? styles.viewed : ''} ${opened || view ? styles.hasPanel : ''}`}
          >
            {isDisabled ? null : (
              <aside className={styles.paletteColumn} aria-label={text.addStep}>
                <h2>{text.addStep}</h2>
                <Palette onAdd={(kind) => addNodes([grammar.newNode(kind)])} />
              </aside>
            )}
            <section ref={list} className={styles.listColumn} aria-label={text.steps}>
              <StepList
                steps={draft.steps}
                problems={places.steps}
                // The robot runs the stored program.
                running={isChanged || !running ? null : running.step - 1}
                openKey={opened?.key ?? null}
                onOpen={openStep}
                onChange={(steps) => changeSteps(steps)}
                onUndo={editing.canUndo ? undo : undefined}
                onRedo={editing.canRedo ? redo : undefined}
                onPaste={() => setDialog('paste')}
                onTry={(step) => {
                  show({ view: 'run' });
                  void run.start(text.step, step.node as RobotProgram);
                }}
                addButton={
                  <div className={styles.addButton}>
                    <Button icon={<Plus />} onPress={() => setDialog('add')}>
                      {text.addStep}
                    </Button>
                  </div>
                }
              />
            </section>
            <section
              ref={panelColumn}
              className={styles.panelColumn}
              aria-label={opened ? text.step : text.viewNames[shown]}
            >
              <div className={styles.back}>
                <Button tone="quiet" icon={<ArrowLeft />} onPress={close}>
                  {text.toSteps}
                </Button>
              </div>
              <Part>{panel}</Part>
            </section>
          </div>
        </Page>
        <Dialog title={text.addStep} isOpen={dialog === 'add'} onClose={() => setDialog(null)}>
          <Palette isDialog onAdd={(kind) => addNodes([grammar.newNode(kind)])} />
        </Dialog>
        <PasteDialog isOpen={dialog === 'paste'} onClose={() => setDialog(null)} onPaste={addNodes} />
      </FieldsDisabled>
    </EditorContext>
  );
}

/** Shows a message that the draft is kept when the page is left, and makes the browser ask before the tab is closed. */
function useKeptNotice(isChanged: boolean, name: string): void {
  const latest = useRef({ isChanged, name });
  latest.current = { isChanged, name };
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => {
      if (latest.current.isChanged) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => {
      removeEventListener('beforeunload', ask);
      if (latest.current.isChanged) showToast({ text: programsText().draftKept(latest.current.name) });
    };
  }, []);
}
