import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  ifNotIn,
  pickedCompletion,
} from '@codemirror/autocomplete';
import { type LuaDeclaration, luaDeclarations, signatureOf } from '../../../src/core/lua-functions.ts';
import { localTexts } from '../ui/language.ts';
import styles from './editor.module.css';
import { luaWordsInFrench } from './lua-functions-fr.ts';
import { programsText } from './text.ts';

/** The words of declarations in other languages than English, by name and by the English words. */
const luaWords = localTexts<Readonly<Record<'effects' | 'results', Readonly<Record<string, string>>>>>({
  en: { effects: {}, results: {} },
  fr: luaWordsInFrench,
});

/** A function's signature, its effect and its result. */
function infoOf(name: string, declaration: LuaDeclaration): HTMLElement {
  const { does, gives } = declaration;
  const { effects, results } = luaWords();
  const info = document.createElement('div');
  info.className = styles.info ?? '';
  const signature = document.createElement('code');
  signature.textContent = signatureOf(name, declaration);
  info.append(signature, document.createElement('p'));
  info.lastElementChild?.append(effects[name] ?? does);
  if (gives !== '') {
    const result = document.createElement('p');
    result.textContent = programsText().gives(results[gives] ?? gives);
    info.append(result);
  }
  return info;
}

const functions: readonly Completion[] = [...luaDeclarations].map(([name, declaration]) => ({
  label: name,
  type: 'function',
  detail: signatureOf('', declaration),
  info: () => infoOf(name, declaration),
  /** Adds the parentheses, and puts the cursor between them where there is something to write. */
  apply(view, completion, from, to) {
    const isCalled = view.state.sliceDoc(to, to + 1) === '(';
    const insert = isCalled ? name : `${name}()`;
    const end = from + insert.length;
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: isCalled || declaration.takes === '' ? end : end - 1 },
      annotations: pickedCompletion.of(completion),
      userEvent: 'input.complete',
    });
  },
}));

const namePart = /[\w.]*/;

function functionsAt(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(namePart);
  if (!word || (word.from === word.to && !context.explicit)) return null;
  return { from: word.from, options: functions, validFor: /^[\w.]*$/ };
}

/** Completes the names of a robot's functions, but not in texts and comments. */
export const luaCompletion = ifNotIn(['string', 'comment'], functionsAt);
