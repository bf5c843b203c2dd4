import { frenchSpaces } from '../../../src/core/french-spaces.ts';
import type { Language } from '../../../src/core/languages.ts';
import { getLanguage } from '../ui/language.ts';
import { byField, noField } from './api-error.ts';
import { fieldLabel, readLabels } from './field-label.ts';
import { fieldName, fieldOf, type Names, sentencesIn, serverWords } from './server-words.ts';

/** Translates a message of the API. `names.list`: the list of the API that its fields are of. [ADR 79] */
export function sentenceInWords(
  sentence: string,
  names: Omit<Names, 'field'> & { readonly list?: string | undefined } = {},
  language: Language = getLanguage(),
): string {
  const field = (title: string): string => fieldLabel(fieldName(title), names.list);
  const words = serverWords(language, sentence, { field, ...names });
  return language === 'fr' ? frenchSpaces(words) : words;
}

/** Translates the messages of a failed request to a list of the API; the description of the API has the names of fields. Some of the API's responses have those of fields under `error`, as sentences that begin with the field. [rule V15] */
export async function problemsInWords(
  fields: Readonly<Record<string, string>>,
  list: string | undefined,
): Promise<Readonly<Record<string, string>>> {
  await readLabels();
  const problems = Object.entries(fields).flatMap(([name, text]) =>
    name === noField
      ? sentencesIn(text).map((sentence) => [fieldOf(sentence) ?? name, sentence] as const)
      : [[name, text] as const],
  );
  return Object.fromEntries(
    Object.entries(byField(problems)).map(([name, text]) => [name, sentenceInWords(text, { list })] as const),
  );
}
