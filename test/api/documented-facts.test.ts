import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorTable } from '../../src/core/errors.ts';
import { isStorableLog, parseMessage, telemetryOf } from '../../src/live/ingestion/robot-message.ts';
import { topicPermission } from '../../src/live/topic-permissions.ts';
import { channels, deviceTopic, ingestedChannels, parseIngestedTopic, routingKeyOf } from '../../src/live/topics.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Returns the cells of the rows of a table that begins with this header. */
function tableOf(page: string, header: string): string[][] {
  const [, body = ''] = page.split(`\n${header}`);
  const lines = body.split('\n').slice(2);
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(0, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('docs/following-changes.md', () => {
  const page = read('docs/following-changes.md');
  const examples = (/^### Examples\n[\s\S]*?```text\n([\s\S]*?)```/m.exec(page)?.[1] ?? '')
    .trim()
    .split('\n\n')
    .map((example) => example.split('\n'))
    .map(([topic = '', ...lines]) => ({ topic, message: lines.join('\n') }));
  const levelsBelowDevice = (topic: string) => topic.split('/').slice(2);

  it('lists every topic of a device, and the stored messages', () => {
    const rows = tableOf(page, '| Topic | From |').map(([name = '', , , stored]) => [name.replaceAll('`', ''), stored]);
    expect(rows).toEqual(
      Object.entries(channels).map(([name, { kind }]) => [
        name,
        kind === 'ingested' ? expect.stringMatching(name) : 'no',
      ]),
    );
  });

  it('has an example of every topic except the one without messages', () => {
    const shown = new Set(examples.map(({ topic }) => levelsBelowDevice(topic)[0]));
    expect([...Object.keys(channels)].filter((name) => !shown.has(name))).toEqual(['from_api']);
    for (const { topic } of examples) {
      expect(topic).toBe(deviceTopic(1, ...levelsBelowDevice(topic)));
      expect([topic, topicPermission('device_1', 'read', routingKeyOf(topic)).verdict]).toEqual([topic, 'allow']);
    }
  });

  it('has examples that the server stores', () => {
    const stored = examples.filter(({ topic }) => parseIngestedTopic(topic) !== null);
    expect(stored.map(({ topic }) => levelsBelowDevice(topic)[0])).toEqual(ingestedChannels);
    const [log, telemetry] = stored.map(({ message }) => parseMessage(Buffer.from(message)));
    if (typeof log !== 'object' || typeof telemetry !== 'object') throw new Error('an example is not an object');
    expect(isStorableLog(log)).toBe(true);
    expect(telemetryOf(telemetry)).toMatchObject({ target: 'rpi3', uptime: 4 });
  });

  it('has examples of the shape that clients expect', () => {
    const shapes = examples.map(({ topic, message }) => {
      const [channel = ''] = levelsBelowDevice(topic);
      return message.startsWith('{') ? `${channel}: ${Object.keys(JSON.parse(message)).slice(0, 3)}` : channel;
    });
    expect(shapes).toEqual([
      'from_clients: kind,args,body',
      'from_device: kind,args',
      'from_device: kind,args,body',
      'logs: type,message,x',
      'ping',
      'pong',
      'status: location_data,pins,informational_settings',
      'sync: args,body',
      'sync: args,body',
      'telemetry: telemetry_target,telemetry_soc_temp,telemetry_throttled',
      'terminal_output',
      'terminal_input',
    ]);
  });
});

describe('docs/api.md', () => {
  it('explains every status of the failures', () => {
    const documented = tableOf(read('docs/api.md'), '| Status | Meaning |').map(([status]) => Number(status));
    const statuses = new Set(Object.values(errorTable).map(([status]) => status));
    expect(documented).toEqual([...statuses].sort((a, b) => a - b));
  });
});

describe('docs/robot-connection.md', () => {
  const page = read('docs/robot-connection.md');
  const sourceOf = (folders: readonly string[]): string =>
    folders
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
          .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
          .map((file) => read(join(folder, file))),
      )
      .join('\n')
      .replace(/\$\{[^}]*\}/g, '§');

  /** Whether the source contains a sentence. Numbers and words in code may be values that are inserted. */
  function isIn(source: string, sentence: string): boolean {
    const pattern = sentence
      .replace(/`[^`]*`/g, '§')
      .replace(/[.*+?^$()[\]{}|\\]/g, '\\$&')
      .replace(/§|\b\d+\b/g, (value) => (value === '§' ? '(?:§|[A-Z_]+)' : `(?:§|${value})`));
    return new RegExp(pattern).test(source);
  }

  it('quotes the output of doctor', () => {
    const source = sourceOf(['src/doctor', 'src/mqtt', 'src/live']);
    const quotes = [...page.matchAll(/"([^"]+)"/g)].flatMap(([, quote = '']) => quote.split(' … '));
    expect(quotes.length).toBeGreaterThan(8);
    expect(quotes.filter((quote) => !isIn(source, quote))).toEqual([]);
    expect(isIn(source, 'Port 1883 is served by that server')).toBe(false);
  });

  it('quotes the output of a virtual robot', () => {
    const source = sourceOf(['src/robot', 'src/accounts', 'src/commands']);
    const sentences = tableOf(page, '| It prints |').map(([cell = '']) =>
      cell
        .slice(1, -1)
        .replace(/(http|mqtt):\S+/, '`address`')
        .replace('ECONNREFUSED', '`code`')
        .replace('device_1', '`bot`'),
    );
    expect(sentences).toHaveLength(4);
    expect(sentences.filter((sentence) => !isIn(source, sentence))).toEqual([]);
  });

  it('quotes the log', () => {
    const source = sourceOf(['src/live']);
    const [, sentence = '', reason = ''] = /^\| `T([^:`]+): ([^`]+)` \|/m.exec(page) ?? [];
    expect(source).toContain(`t${sentence}`);
    expect(source).toContain(reason.replace(' ', '_'));
    expect(reason).toBe('bad token');
  });
});
