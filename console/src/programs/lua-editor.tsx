import { autocompletion, closeCompletion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language';
import { lua } from '@codemirror/legacy-modes/mode/lua';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import { Decoration, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { FullScreen } from '../ui/full-screen.tsx';
import { Maximize } from '../ui/icons.tsx';
import { useTheme } from '../ui/theme.ts';
import styles from './editor.module.css';
import { luaCompletion } from './lua-completion.ts';
import type { Problem } from './problem-places.ts';
import { programsText } from './text.ts';

export interface LuaEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problem: string | undefined;
  /** Problems with a line are marked there. */
  readonly problems: readonly Problem[];
  readonly isDisabled: boolean;
}

interface LuaTextProps extends LuaEditorProps {
  /** Opens it in full screen; undefined: it is. */
  readonly onEnlarge: (() => void) | undefined;
}

/** The nonce with which the page's policy allows the styles that the editor creates. */
const nonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** The words of Lua in the colors of the page, which are readable in both themes. */
const colors = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--info)', fontWeight: '600' },
  { tag: tags.string, color: 'var(--accent)' },
  { tag: [tags.number, tags.atom, tags.bool], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--ink-soft)', fontStyle: 'italic' },
]);

const look = (theme: 'light' | 'dark') =>
  EditorView.theme(
    {
      '&': { backgroundColor: 'var(--surface)', color: 'var(--ink)', fontSize: 'var(--text)' },
      '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--ink-soft)', border: 'none' },
      '.cm-content': { minHeight: '8em', caretColor: 'var(--ink)' },
      '.cm-cursor': { borderLeftColor: 'var(--ink)' },
      '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line-strong)' },
      '.cm-tooltip.cm-completionInfo': { padding: 'var(--space-2)' },
      '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
        backgroundColor: 'var(--accent-soft)',
        color: 'var(--ink)',
      },
    },
    { dark: theme === 'dark' },
  );

/** Replaces a selection by the input: Chromium itself would keep its look in a style attribute, which the policy forbids. */
const typedOver = EditorView.domEventHandlers({
  beforeinput(event, editor) {
    const { state } = editor;
    const isTyped = event.inputType === 'insertText' && event.data !== null && !editor.composing && !state.readOnly;
    if (!isTyped || event.data === null || state.selection.main.empty) return false;
    editor.dispatch(state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

/** Escape closes the list of completions, and not the window around it, too. */
const closedList = Prec.highest(
  EditorView.domEventHandlers({
    keydown(event, editor) {
      if (event.key !== 'Escape' || !closeCompletion(editor)) return false;
      event.stopPropagation();
      return true;
    },
  }),
);

/** Marks lines, with the sentence about each. `marks`: JSON of pairs of them. */
const markedLines = (marks: string) =>
  EditorView.decorations.of(({ state: { doc } }) => {
    const pairs: readonly [number, string][] = JSON.parse(marks);
    const shown = pairs.filter(([line]) => line <= doc.lines);
    const attributes = (title: string) => ({ class: styles.markedLine ?? '', title });
    return Decoration.set(
      shown.map(([line, title]) => Decoration.line({ attributes: attributes(title) }).range(doc.line(line).from)),
      true,
    );
  });

/** An editor for Lua, which can be as large as the window. */
export function LuaEditor(props: LuaEditorProps) {
  const [isLarge, setLarge] = useState(false);
  const close = (): void => setLarge(false);
  return (
    <>
      <LuaText {...props} onEnlarge={() => setLarge(true)} />
      <FullScreen
        title={props.label}
        isOpen={isLarge}
        onClose={close}
        bar={
          <Button tone="primary" onPress={close}>
            {programsText().done}
          </Button>
        }
      >
        <LuaText {...props} onEnlarge={undefined} />
      </FullScreen>
    </>
  );
}

/** The text of an editor for Lua. Tab leaves it; its own keys undo and redo, and names of functions are completed. */
function LuaText({ label, value, onChange, problem, problems, isDisabled, onEnlarge }: LuaTextProps) {
  const id = useId();
  const theme = useTheme();
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const compartment = useRef(new Compartment());
  // As text: the problems are new with each check, the marks rarely.
  const marks = JSON.stringify(problems.flatMap(({ line, message }) => (line === undefined ? [] : [[line, message]])));
  const settings = useMemo(
    () => [
      look(theme),
      EditorState.readOnly.of(isDisabled),
      EditorView.editable.of(!isDisabled),
      EditorView.contentAttributes.of({ 'aria-disabled': String(isDisabled) }),
      markedLines(marks),
    ],
    [theme, isDisabled, marks],
  );
  const change = useEffectEvent(onChange);

  /** Creates the editor; the effects below keep it current. */
  const create = useEffectEvent((element: HTMLElement) => {
    const editor = new EditorView({
      parent: element,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(nonce()),
          lineNumbers(),
          history(),
          bracketMatching(),
          indentOnInput(),
          closedList,
          autocompletion({ override: [luaCompletion] }),
          StreamLanguage.define(lua),
          syntaxHighlighting(colors),
          EditorView.lineWrapping,
          typedOver,
          EditorView.contentAttributes.of({ 'aria-labelledby': id, 'aria-multiline': 'true' }),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          compartment.current.of(settings),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) change(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  });
  useEffect(() => (parent.current ? create(parent.current) : undefined), []);

  useEffect(() => {
    view.current?.dispatch({ effects: compartment.current.reconfigure(settings) });
  }, [settings]);

  // Undone outside, or changed elsewhere.
  useEffect(() => {
    const editor = view.current;
    const shown = editor?.state.doc.toString();
    if (editor && shown !== value)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  return (
    <div className={`${styles.lua} ${onEnlarge ? '' : styles.large}`}>
      <div className={styles.luaHead}>
        <span id={id} className={styles.luaLabel}>
          {label}
        </span>
        {onEnlarge ? <IconButton label={programsText().enlarge} icon={<Maximize />} onPress={onEnlarge} /> : null}
      </div>
      <div ref={parent} className={styles.luaFrame} data-invalid={problem !== undefined || undefined} />
      {problem === undefined ? null : <p className={styles.problem}>{problem}</p>}
    </div>
  );
}
