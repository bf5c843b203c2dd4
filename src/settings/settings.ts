import { resolve } from 'node:path';
import type { QuotaLimits, QuotaName } from '../core/quotas.ts';
import { quotaNames } from '../core/quotas.ts';
import { declarations, quotaSetting, settingGroups } from './declarations.ts';
import { misspellings } from './misspellings.ts';
import type { Setting, ValueOf } from './setting.ts';

type Declarations = typeof declarations;

export type SettingName = keyof Declarations;

/** The values of all settings by name. `DATA_DIR` is absolute. */
export type Settings = { readonly [Name in SettingName]: ValueOf<Declarations[Name]> };

/** Whether there is a message broker, the built-in one or RabbitMQ. */
export const hasBroker = ({ BROKER_URL, MQTT_PORT }: Settings): boolean => BROKER_URL !== null || MQTT_PORT > 0;

/** Returns the setting with the port that robots use of the built-in broker, and the one port that they know. [rule D33] */
export const robotPort = ({ MQTT_WS_URL, PUBLIC_URL }: Pick<Settings, 'MQTT_WS_URL' | 'PUBLIC_URL'>) =>
  /^(?:wss|https):/i.test(MQTT_WS_URL ?? PUBLIC_URL ?? '')
    ? ({ setting: 'MQTTS_PORT', port: 8883 } as const)
    : ({ setting: 'MQTT_PORT', port: 1883 } as const);

/** Whether the message broker answers at the WebSocket address in tokens. RabbitMQ does only where a setting has its address. */
export const hasBrokerSocket = (settings: Settings): boolean =>
  hasBroker(settings) && (settings.BROKER_URL === null || settings.MQTT_WS_URL !== null);

/** Returns the limits of all accounts. */
export const quotaLimits = (settings: Settings): QuotaLimits =>
  Object.fromEntries(quotaNames.map((name) => [name, settings[quotaSetting(name)]])) as Record<QuotaName, number>;

/** Variables by name, such as `process.env`. An empty one counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown for invalid settings, all together. Contains no secrets. */
export class SettingsError extends Error {
  readonly problems: readonly { readonly name: string; readonly message: string }[];

  constructor(problems: SettingsError['problems']) {
    super(problems.map(({ message }) => message).join('\n'));
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/** A setting and its name. */
export type NamedSetting = readonly [name: string, setting: Setting<unknown>];

/** All settings with their names, in the order of the documentation. */
export const allSettings = (): readonly NamedSetting[] => Object.entries(declarations);

/** The same in groups, by the title of each group. */
export const groupedSettings = (): readonly (readonly [title: string, settings: readonly NamedSetting[]])[] =>
  Object.entries(settingGroups).map(([title, group]) => [title, Object.entries(group)]);

const maxLength = 4096;

/** Returns the text of a variable; undefined if it is unset or empty, as Compose files and shells leave it. */
export function variableText(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === '' ? undefined : text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for these
const controlCharacters = /[\u0000-\u001f\u007f]/;

/** The invalid value in an error message. URLs are omitted: they may contain passwords. */
const shownValue = (text: string, { isSecret }: Setting<unknown>): string =>
  isSecret || text.includes('://') || text.length > 80 ? '' : `, not ${JSON.stringify(text)}`;

/** Settings that must be set together. */
const pairs = [['TLS_CERT', 'TLS_KEY']] as const satisfies readonly (readonly [SettingName, SettingName])[];

/** Finds pairs of which only one is set. */
function incompletePairs(environment: Environment): { name: string; message: string }[] {
  return pairs.flatMap(([one, other]) => {
    const missing = [one, other].filter((name) => variableText(environment, name) === undefined);
    if (missing.length !== 1) return [];
    const [name = one] = missing;
    const presentName = name === one ? other : one;
    return [{ name, message: `${name} must be set too, because ${presentName} is.` }];
  });
}

/** Finds settings that exclude each other. */
function conflicts({ HOME_ASSISTANT, BROKER_URL, MQTT_PORT }: Settings): { name: string; message: string }[] {
  if (HOME_ASSISTANT !== 'on' || (BROKER_URL === null && MQTT_PORT > 0)) return [];
  const reason = BROKER_URL === null ? 'MQTT_PORT=0 switches it off' : 'BROKER_URL replaces it';
  const message = `HOME_ASSISTANT=on needs the built-in message broker, but ${reason}. Set HOME_ASSISTANT to the URL of Home Assistant's own broker.`;
  return [{ name: 'HOME_ASSISTANT', message }];
}

/** Parses all settings. Throws a {@link SettingsError} that names every invalid one. */
export function readSettings(environment: Environment): Settings {
  const problems: { name: string; message: string }[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of allSettings()) {
    const text = variableText(environment, name);
    values[name] = setting.defaultValue;
    if (text === undefined) continue;
    const isText = text.length <= maxLength && !controlCharacters.test(text);
    const value = isText ? setting.kind.parse(text) : undefined;
    if (value === undefined)
      problems.push({ name, message: `${name} must be ${setting.kind.values}${shownValue(text, setting)}.` });
    else values[name] = value;
  }
  // The declarations determine the types of the values.
  const settings = values as Settings;
  problems.push(...incompletePairs(environment), ...conflicts(settings));
  if (problems.length > 0) throw new SettingsError(problems);
  return { ...settings, DATA_DIR: resolve(settings.DATA_DIR) };
}

/** Warnings for the log at start: names that are probably misspelled. */
export function settingWarnings(environment: Environment): readonly string[] {
  const isSet = (name: string) => variableText(environment, name) !== undefined;
  const names = allSettings().map(([name]) => name);
  return misspellings(Object.keys(environment).filter(isSet), names).map(
    ({ name, meant }) => `${name} is not a setting. Did you mean ${meant}?`,
  );
}
