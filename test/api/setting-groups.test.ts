import { expect, it } from 'vitest';
import { deviceFields } from '../../src/device/device-fields.ts';
import { fbosConfig } from '../../src/device/fbos-config.ts';
import { firmwareConfig } from '../../src/device/firmware-config.ts';
import { settingGroups } from '../../src/device/setting-groups.ts';
import { webAppConfig } from '../../src/device/web-app-config.ts';
import { withGroups } from '../../src/engine/field-groups.ts';
import type { Fields } from '../../src/engine/fields.ts';
import { inputSchema } from '../../src/engine/schemas.ts';

/** The settings that the console shows, by the pages that it has for them: times are not among them. */
const parts: Readonly<Record<keyof typeof settingGroups, Fields>> = {
  device: deviceFields,
  os: fbosConfig.fields,
  firmware: firmwareConfig.fields,
  webApp: webAppConfig.fields,
};
const shown = (fields: Fields): string[] =>
  Object.entries(fields).flatMap(([name, { traits, kind }]) =>
    traits.writability !== 'never' && kind.column !== 'time' ? [name] : [],
  );

interface Group {
  readonly title: string;
  readonly names: readonly string[];
}

const groupsOf = (part: keyof typeof settingGroups): readonly Group[] =>
  withGroups(inputSchema(parts[part], 'update', 'Settings'), settingGroups[part])['x-groups'] as Group[];

it.each(Object.keys(parts) as (keyof typeof settingGroups)[])('every setting of %s is in one group', (part) => {
  const grouped = groupsOf(part).flatMap(({ names }) => names);
  expect(grouped).toEqual([...new Set(grouped)]);
  expect(shown(parts[part]).filter((name) => !grouped.includes(name))).toEqual([]);
  for (const { title, names } of groupsOf(part)) {
    expect(names.length, title).toBeGreaterThan(0);
    expect(names.length, title).toBeLessThanOrEqual(30);
  }
});

it('every setting has a hint in forms, in every language', () => {
  const settings = Object.values(parts).flatMap((fields) => shown(fields).map((name) => [name, fields[name]] as const));
  expect(settings.length).toBeGreaterThan(200);
  expect(settings.flatMap(([name, field]) => (field?.traits.hint?.fr ? [] : [name]))).toEqual([]);
});

it('settings of an axis or of a number have its name at the end of theirs', () => {
  const titles = (names: readonly string[]) =>
    names.map((name) => firmwareConfig.fields[name as 'param_test'].traits.label);
  expect(titles(['movement_max_spd_x', 'movement_max_spd_z2', 'pin_guard_3_time_out'])).toEqual([
    { en: 'Highest speed x', fr: 'Vitesse maximale x' },
    { en: 'Highest speed toward home, z', fr: 'Vitesse maximale vers l’origine, z' },
    { en: 'Time limit 3', fr: 'Délai 3' },
  ]);
});
