import { languageLabels, languages } from '../../../src/core/languages.ts';
import { chooseLanguage } from '../data/chosen-language.ts';
import { Select } from '../ui/fields.tsx';
import { useLanguage } from '../ui/language.ts';
import { plain } from '../ui/letters.ts';
import { Card } from '../ui/page.tsx';
import { setThemeChoice, type ThemeChoice, useThemeChoice } from '../ui/theme.ts';
import styles from './settings.module.css';
import { settingsText, settingsTexts } from './text.ts';

const names = ['language', 'theme'] as const;

/** Returns those settings of this browser whose label matches a search, in any language: a person who looks for the language may not read the current one. */
export const browserSettingsOf = (find: string): readonly (typeof names)[number][] =>
  names.filter((name) => Object.values(settingsTexts).some((text) => plain(text[name]).includes(plain(find))));

/** Settings of this browser that match a search. */
export function BrowserSettings({ find = '' }: { readonly find?: string }) {
  const shown = browserSettingsOf(find);
  const text = settingsText();
  const choices: readonly { readonly value: ThemeChoice; readonly label: string }[] = [
    { value: 'system', label: text.system },
    { value: 'light', label: text.light },
    { value: 'dark', label: text.dark },
  ];
  const language = useLanguage();
  const theme = useThemeChoice();
  if (shown.length === 0) return null;
  return (
    <Card title={text.appearance}>
      <div className={styles.fields}>
        {shown.includes('language') ? (
          <Select
            label={text.language}
            value={language}
            choices={languages.map((value) => ({
              value,
              label: languageLabels[value],
            }))}
            onChange={chooseLanguage}
          />
        ) : null}
        {shown.includes('theme') ? (
          <Select label={text.theme} value={theme} choices={choices} onChange={setThemeChoice} />
        ) : null}
      </div>
      {find === '' ? <p>{isSecureContext ? text.install : text.installNeedsHttps}</p> : null}
    </Card>
  );
}
