import { describe, expect, it } from 'vitest';
import { luaCallWarnings } from '../programs/lua-calls.ts';
import { luaDialectWarnings } from '../programs/lua-dialect.ts';
import { LuaScript } from '../programs/lua-script.ts';
import { cropsOf } from './demo-crops.ts';
import { productOptions } from './product-lines.ts';
import { programBody } from './program-seeds.ts';
import { measureMoisture } from './programs/measuring.ts';
import type { SeedProgram } from './programs/nodes.ts';
import { inLanguage } from './words.ts';

const products = productOptions.flatMap((option) => ('board' in option ? [option] : []));
const programs = [...new Set([...products.flatMap((product) => product.programs), measureMoisture])];
const ids = { peripheral: () => 1, sensor: () => 1, tool: () => 1, group: () => 1, sequence: () => 1 };

/** The texts of a program that people read, by the key that they stand under. */
function textsOf(value: unknown, key = ''): string[] {
  if (typeof value === 'string') {
    if (key === 'lua') return [...value.matchAll(/"([^"\n]*)"/g)].map(([, text = '']) => text).filter(isRead);
    return ['name', 'comment', 'label'].includes(key) && isRead(value) ? [value] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => textsOf(each, Array.isArray(value) ? key : name));
}

/** Words of the language, and keys that are stored, are written without capitals and spaces. */
const isRead = (text: string): boolean => /[A-Z]|[a-z]{2} | [a-z]{2}/.test(text) && !kept.test(text);
/** Keys, and the name that stays, since robots look for it. */
const kept = /^rotary_tool|^Watering Nozzle$/;

const written = (program: SeedProgram) => programBody(program, ids);

describe('French words', () => {
  it.each(programs.map((program) => [program.name, program] as const))('has words of the program %s', (_, program) => {
    const texts = textsOf(written(program));
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((text) => inLanguage(text, 'fr') === text)).toEqual([]);
    expect(textsOf(inLanguage(written(program), 'fr')).filter((text) => texts.includes(text))).toEqual([]);
  });

  it.each(programs.map((program) => [program.name, program] as const))(
    'runs on robots as it stands: %s',
    (_, program) => {
      const scripts = (value: unknown): string[] =>
        typeof value === 'object' && value !== null
          ? Object.entries(value).flatMap(([key, each]) =>
              key === 'lua' && typeof each === 'string' ? [each] : scripts(each),
            )
          : [];
      for (const language of ['en', 'fr'] as const)
        expect(
          scripts(inLanguage(written(program), language)).flatMap((lua) => {
            const script = new LuaScript(lua);
            return [...luaDialectWarnings(script), ...luaCallWarnings(script)];
          }),
        ).toEqual([]);
    },
  );

  it('has the names of equipment and crops, except the one that robots look for', () => {
    const names = products.flatMap(({ pins, tools, frame: { sensors } }) => [
      ...Object.keys(pins),
      ...tools,
      ...sensors.map(({ label }) => label),
    ]);
    const all = [
      ...names,
      ...cropsOf(true).flatMap(({ name, water }) => [
        name,
        `${name} plants`,
        ...(water ? [`${name} water curve`] : []),
      ]),
    ];
    expect([...new Set(all)].filter((name) => inLanguage(name, 'fr') === name)).toEqual(['Watering Nozzle']);
  });

  it('give each variable the same name in declarations and Lua', () => {
    const lua = 'local spot = variable("Seed Tray"); on(9, "x")';
    expect(inLanguage({ label: 'Seed Tray', lua }, 'fr')).toEqual({
      label: 'Plateau à graines',
      lua: 'local spot = variable("Plateau " .. utf8.char(224) .. " graines"); on(9, "x")',
    });
    expect(inLanguage({ label: 'Seed Tray', lua }, 'en')).toEqual({ label: 'Seed Tray', lua });
  });
});
