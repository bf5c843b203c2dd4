import { Select } from '../ui/fields.tsx';
import { setLanguage, useLanguage } from '../ui/language.ts';
import { type Language, languages } from '../ui/languages.ts';
import { Card } from '../ui/page.tsx';
import { setThemeChoice, type ThemeChoice, useThemeChoice } from '../ui/theme.ts';
import styles from './settings.module.css';
import { settingsText } from './text.ts';

/** Settings of this browser. */
export function BrowserSettings() {
  const text = settingsText();
  const choices: readonly { readonly value: ThemeChoice; readonly label: string }[] = [
    { value: 'system', label: text.system },
    { value: 'light', label: text.light },
    { value: 'dark', label: text.dark },
  ];
  return (
    <Card title={text.appearance}>
      <div className={styles.fields}>
        <Select
          label={text.language}
          value={useLanguage()}
          choices={(Object.keys(languages) as Language[]).map((value) => ({
            value,
            label: languages[value],
          }))}
          onChange={setLanguage}
        />
        <Select label={text.theme} value={useThemeChoice()} choices={choices} onChange={setThemeChoice} />
      </div>
      <p>{isSecureContext ? text.install : text.installNeedsHttps}</p>
    </Card>
  );
}
