import { catalog } from '../ui/language.ts';
import { mapWords } from './map-setting-words-fr.ts';
import { settingKey } from './setting-key.ts';
import type { GroupName } from './setting-words-en.ts';
import * as en from './setting-words-en.ts';
import * as fr from './setting-words-fr.ts';

/** Units with another name in French. */
const frenchUnits: Readonly<Record<string, string>> = {
  steps: 'pas',
  'steps/s': 'pas/s',
  'steps/mm': 'pas/mm',
  seconds: 'secondes',
  minutes: 'minutes',
  degrees: 'degrés',
};

/** Larger limits are those of the number type, and not shown. */
const maxLimit = 1_000_000;

const french = { ...fr.words, ...mapWords };

interface SettingWords {
  /** Names of settings, without axes and numbers. */
  readonly labels: Readonly<Record<string, string>>;
  readonly groups: Readonly<Record<GroupName, string>>;
  /** Descriptions of settings that replace the API's. */
  readonly hint: (key: string, description: string | undefined) => string | undefined;
  readonly unit: (unit: string) => string;
  readonly range: (least: number, most: number) => string;
}

const words = catalog<SettingWords>({
  en: {
    labels: en.labels,
    groups: en.groups,
    hint: (key, description) => en.hints[key] ?? description,
    // The API's description ends with it.
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

/** The parts of a setting's declaration that its texts need. */
interface Declared {
  readonly name: string;
  readonly description?: string;
  readonly 'x-unit'?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The texts of settings in the language of the page. */
export function settingWords() {
  const { labels, groups, hint, unit, range } = words();
  return {
    groups,
    /** The name of a setting. */
    label(name: string): string | undefined {
      const [key, suffix] = settingKey(name);
      return labels[key] && `${labels[key]} ${suffix}`.trim();
    },
    /** The description of a setting, with its unit and range. */
    hint({ name, description, 'x-unit': measure, minimum, maximum }: Declared): string {
      const isRanged =
        minimum !== undefined && maximum !== undefined && maximum - minimum > 1 && maximum - minimum < maxLimit;
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
