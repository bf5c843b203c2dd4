import { autocompletion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language';
import { lua } from '@codemirror/legacy-modes/mode/lua';
import { Compartment, EditorState } from '@codemirror/state';
import { Decoration, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useEffectEvent, useId, useMemo, useRef } from 'react';
import { useTheme } from '../ui/theme.ts';
import styles from './editor.module.css';
import type { Problem } from './problem-places.ts';

export interface LuaEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problem: string | undefined;
  /** Problems with a line are marked there. */
  readonly problems: readonly Problem[];
  readonly isDisabled: boolean;
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

/** An editor for Lua. Tab leaves it; its own keys undo and redo. */
export function LuaEditor({ label, value, onChange, problem, problems, isDisabled }: LuaEditorProps) {
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
          autocompletion(),
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
    <div className={styles.lua}>
      <span id={id} className={styles.luaLabel}>
        {label}
      </span>
      <div ref={parent} className={styles.luaFrame} data-invalid={problem !== undefined || undefined} />
      {problem === undefined ? null : <p className={styles.problem}>{problem}</p>}
    </div>
  );
}
