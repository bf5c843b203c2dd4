import { describe, expect, it } from 'vitest';
import { luaPrompt, summaryPrompt } from './prompts.ts';

const sequence = {
  id: 5,
  created_at: '2026-04-01T00:00:00.000Z',
  updated_at: '2026-04-02T00:00:00.000Z',
  name: 'Old name',
  color: 'gray',
  description: 'Old words',
  body: [{ kind: 'wait', args: { milliseconds: 5 } }],
};

/** Returns the sequence's JSON at the end of the prompt. */
const sent = (content: string | undefined): string => content?.split('\n\n').at(-1) ?? '';

describe('questions about a sequence', () => {
  it.each([
    ['title', 'name', /25 characters/],
    ['color', 'color', /red .*green .*yellow .*blue .*orange .*purple .*pink .*gray/],
    ['description', 'description', /75 words/],
  ] as const)('%s: the prompt contains the sequence without that field', (summary, field, instruction) => {
    const [system, user] = summaryPrompt(summary, sequence, 'Deutsch');
    expect([system?.role, user?.role]).toEqual(['system', 'user']);
    expect(user?.content).toMatch(instruction);
    const { created_at: _created, updated_at: _updated, [field]: _omitted, ...rest } = sequence;
    expect(JSON.parse(sent(user?.content))).toEqual(rest);
    expect(user?.content.includes('Deutsch')).toBe(summary !== 'color');
  });

  it('collapse white space and contain at most 10,000 characters of the sequence', () => {
    const spaced = { text: 'a   b', lon: '🌱'.repeat(6000) };
    const json = sent(summaryPrompt('title', spaced, 'English')[1]?.content);
    expect(json.startsWith('{"text":"a b","lon":"🌱')).toBe(true);
    // One less, because a surrogate pair is not split.
    expect(json).toHaveLength(9999);
    expect(json.endsWith('🌱')).toBe(true);
  });

  it('truncate the name of the language', () => {
    const [, user] = summaryPrompt('title', {}, `Klingon\n\n${'x'.repeat(1000)}`);
    expect(user?.content).toContain(`language: Klingon ${'x'.repeat(32)}.`);
    expect(summaryPrompt('title', {}, ' \n ')[1]?.content).toContain('language: English.');
  });
});

it('a prompt for a script lists the equipment of the robot', () => {
  const equipment = {
    peripherals: [{ name: 'Pump', pin_number: 8 }],
    sensors: [{ name: 'Soil "wet"', pin_number: 59 }],
    tools: [{ name: 'Seeder', id: 7 }],
  };
  const [system, user] = luaPrompt('Blink the light', equipment, 'Deutsch');
  expect(system?.content).toContain('write_pin(pin, mode, value)');
  for (const part of [
    '[{"name":"Pump","pin_number":8}]',
    '[{"name":"Soil \\"wet\\"","pin_number":59}]',
    '[{"name":"Seeder","id":7}]',
    '\nBlink the light\n',
    'Deutsch',
  ])
    expect(user?.content).toContain(part);
});
