import { catalog } from '../ui/language.ts';
import { mapWords } from './map-setting-words-fr.ts';
import { settingKey } from './setting-key.ts';
import type { GroupName } from './setting-words-en.ts';
import * as en from './setting-words-en.ts';
import * as fr from './setting-words-fr.ts';

/** Units that French calls otherwise. */
const frenchUnits: Readonly<Record<string, string>> = {
  steps: 'pas',
  'steps/s': 'pas/s',
  'steps/mm': 'pas/mm',
  seconds: 'secondes',
  minutes: 'minutes',
  degrees: 'degrés',
};

/** Limits beyond it are those of computers. */
const largestLimit = 1_000_000;

const french = { ...fr.words, ...mapWords };

interface SettingWords {
  /** What settings are called, without axes and numbers. */
  readonly labels: Readonly<Record<string, string>>;
  readonly groups: Readonly<Record<GroupName, string>>;
  /** What a setting does, in place of the API's words. */
  readonly hint: (key: string, description: string | undefined) => string | undefined;
  readonly unit: (unit: string) => string;
  readonly range: (least: number, most: number) => string;
}

const words = catalog<SettingWords>({
  en: {
    labels: en.labels,
    groups: en.groups,
    hint: (key, description) => en.hints[key] ?? description,
    // The API's words end with it.
    unit: () => '',
    range: (least, most) => `From ${least} to ${most}.`,
  },
  fr: {
    labels: Object.fromEntries(Object.entries(french).map(([key, [label]]) => [key, label])),
    groups: fr.groups,
    hint: (key, description) => french[key]?.[1] ?? description,
    unit: (unit) => `En ${frenchUnits[unit] ?? unit}.`,
    range: (least, most) => `De ${least} à ${most}.`,
  },
});

/** What a setting has of its declaration. */
interface Declared {
  readonly name: string;
  readonly description?: string;
  readonly 'x-unit'?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The words for settings in the language of the page. */
export function settingWords() {
  const { labels, groups, hint, unit, range } = words();
  return {
    groups,
    /** What a setting is called. */
    label(name: string): string | undefined {
      const [key, suffix] = settingKey(name);
      return labels[key] && `${labels[key]} ${suffix}`.trim();
    },
    /** What a setting does, its unit and its range. */
    hint({ name, description, 'x-unit': measure, minimum, maximum }: Declared): string {
      const isRanged =
        minimum !== undefined && maximum !== undefined && maximum - minimum > 1 && maximum - minimum < largestLimit;
      return [
        hint(settingKey(name)[0], description),
        measure === undefined ? '' : unit(measure),
        isRanged ? range(minimum, maximum) : '',
      ]
        .filter(Boolean)
        .join(' ');
    },
  };
}
