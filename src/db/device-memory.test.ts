import { describe, expect, it } from 'vitest';
import { anyTable, DeviceMemory } from './device-memory.ts';

const noWrites = { devices: new Set<number>(), shared: new Set<string>() };

/** A memory, and what it reads: `<device> <key> <count of reads>`. */
function memory(size?: number) {
  const kept = new DeviceMemory(size);
  let reads = 0;
  const options = { tables: ['tools', 'points'], text: '', isKept: true };
  const recall = async (deviceId: number, key = 'tools', external = 1): Promise<string> => {
    const { tables, text, isKept } = options;
    const value = await kept.recall(deviceId, external, {
      ...{ key, tables },
      read: async () => [`${deviceId} ${key} ${++reads}${text}`],
      textsOf: (texts) => (isKept ? texts : null),
    });
    return value.join();
  };
  return { kept, options, recall };
}

describe('what was read of a device', () => {
  it('is read again after a commit of the device, not after those of others', async () => {
    const { kept, recall } = memory();
    expect([await recall(1), await recall(2), await recall(1, 'points')]).toEqual([
      '1 tools 1',
      '2 tools 2',
      '1 points 3',
    ]);
    expect([await recall(1), await recall(2), await recall(1, 'points')]).toEqual([
      '1 tools 1',
      '2 tools 2',
      '1 points 3',
    ]);
    kept.committed({ ...noWrites, devices: new Set([1, 3]) });
    expect([await recall(2), await recall(1), await recall(1, 'points')]).toEqual([
      '2 tools 2',
      '1 tools 4',
      '1 points 5',
    ]);
  });

  it.each([
    ['one of its tables', 'points', '1 tools 2'],
    ['every table', anyTable, '1 tools 2'],
    ['another table', 'users', '1 tools 1'],
  ])('is read again after the server wrote %s, or not', async (_what, table, expected) => {
    const { kept, recall } = memory();
    await recall(1);
    kept.committed({ ...noWrites, shared: new Set([table]) });
    expect(await recall(1)).toBe(expected);
  });

  it('is read again after a commit of another process', async () => {
    const { recall } = memory();
    expect([await recall(1), await recall(2)]).toEqual(['1 tools 1', '2 tools 2']);
    expect([await recall(1, 'tools', 2), await recall(2, 'tools', 2)]).toEqual(['1 tools 3', '2 tools 4']);
  });

  it.each([
    ['a commit of any device', (kept: DeviceMemory) => kept.committed({ ...noWrites, devices: new Set([7]) })],
    ['one of another process', (_kept: DeviceMemory, recall: (at: number) => void) => recall(2)],
  ])('is not kept if there was %s while it was read', async (_what, interrupt) => {
    const { kept, recall } = memory();
    const first = recall(1);
    interrupt(kept, (external) => void recall(9, 'tools', external));
    expect(await first).toBe('1 tools 1');
    expect(await recall(1)).not.toBe('1 tools 1');
  });

  it('is not kept if it has no texts', async () => {
    const { options, recall } = memory();
    options.isKept = false;
    await recall(1);
    expect(await recall(1)).toBe('1 tools 2');
  });

  it('is forgotten of the devices that were read least recently, beyond a size', async () => {
    const { options, recall } = memory(100_000);
    // Two bytes per character.
    options.text = 'x'.repeat(20_000);
    const read = async (deviceId: number): Promise<string> => (await recall(deviceId)).slice(0, 9);
    expect([await read(1), await read(2), await read(1), await read(3)]).toEqual([
      '1 tools 1',
      '2 tools 2',
      '1 tools 1',
      '3 tools 3',
    ]);
    expect([await read(1), await read(2)]).toEqual(['1 tools 1', '2 tools 4']);
  });

  it('is not kept if it is larger than all that may be kept', async () => {
    const { options, recall } = memory(1000);
    options.text = 'x'.repeat(1000);
    await recall(1);
    expect(await recall(1)).toMatch(/^1 tools 2x/);
  });
});
