import { languageLabels, languages } from '../../../src/core/languages.ts';
import { chooseLanguage } from '../data/chosen-language.ts';
import { Select } from '../ui/fields.tsx';
import { useLanguage } from '../ui/language.ts';
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
          choices={languages.map((value) => ({
            value,
            label: languageLabels[value],
          }))}
          onChange={chooseLanguage}
        />
        <Select label={text.theme} value={useThemeChoice()} choices={choices} onChange={setThemeChoice} />
      </div>
      <p>{isSecureContext ? text.install : text.installNeedsHttps}</p>
    </Card>
  );
}
