import { expect, it } from 'vitest';
import { mapWords } from '../../console/src/data/map-setting-words-fr.ts';
import { settingKey } from '../../console/src/data/setting-key.ts';
import * as en from '../../console/src/data/setting-words-en.ts';
import * as fr from '../../console/src/data/setting-words-fr.ts';
import { groupOf, groupsOf } from '../../console/src/settings/groups.ts';
import { deviceFields } from '../../src/device/device-fields.ts';
import { fbosConfig } from '../../src/device/fbos-config.ts';
import { firmwareConfig } from '../../src/device/firmware-config.ts';
import { webAppConfig } from '../../src/device/web-app-config.ts';
import type { Fields } from '../../src/engine/fields.ts';

const french = { ...fr.words, ...mapWords };

/** The settings that the page shows, by its parts: times are not among them. */
const parts: Readonly<Record<string, Fields>> = {
  garden: deviceFields,
  os: fbosConfig.fields,
  firmware: firmwareConfig.fields,
  map: webAppConfig.fields,
};
const settings = Object.entries(parts).flatMap(([part, fields]) =>
  Object.entries(fields)
    .filter(([, { traits, kind }]) => traits.writability !== 'never' && kind.column !== 'time')
    .map(([name, field]) => ({ part, name, field })),
);

it('every setting has a name, a group and an explanation, in every language', () => {
  expect(settings.length).toBeGreaterThan(200);
  const lacking = settings.filter(({ part, name, field }) => {
    const [key] = settingKey(name);
    return (
      !en.labels[key] || !french[key]?.[0] || !french[key]?.[1] || !groupOf(part, name) || !field.traits.description
    );
  });
  expect(lacking.map(({ name }) => name)).toEqual([]);
});

it('no name is unused, and every group has settings', () => {
  const keys = new Set(settings.map(({ name }) => settingKey(name)[0]));
  expect(Object.keys(en.labels).filter((key) => !keys.has(key))).toEqual([]);
  expect(Object.keys(french).filter((key) => !keys.has(key))).toEqual([]);
  for (const part of Object.keys(parts))
    for (const group of groupsOf(part)) {
      const members = settings.filter(({ part: of, name }) => of === part && groupOf(part, name) === group);
      expect(members.length, group).toBeGreaterThan(0);
      expect(members.length, group).toBeLessThanOrEqual(30);
    }
});

it('settings of an axis or of a number share their words', () => {
  expect(settingKey('movement_max_spd_x')).toEqual(['movement_max_spd', 'x']);
  expect(settingKey('movement_max_spd_z2')).toEqual(['movement_max_spd_z2', '']);
  expect(settingKey('pin_guard_3_time_out')).toEqual(['pin_guard_time_out', '3']);
  expect(settingKey('map_size_x')).toEqual(['map_size_x', '']);
});
