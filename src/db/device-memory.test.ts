import { describe, expect, it } from 'vitest';
import { DeviceMemory } from './device-memory.ts';

/** A memory, and its reads: `<device> <key> <count of reads>`. */
function memory(maxBytes?: number) {
  const kept = new DeviceMemory(maxBytes === undefined ? {} : { maxBytes });
  let reads = 0;
  const options = { text: '', isKept: true };
  const recall = async (deviceId: number, key = 'tools', version = 1): Promise<string> => {
    const { text, isKept } = options;
    const value = await kept.recall(deviceId, version, {
      key,
      read: async () => [`${deviceId} ${key} ${++reads}${text}`],
      textsOf: (texts) => (isKept ? texts : null),
    });
    return value.join();
  };
  return { kept, options, recall };
}

describe('a value that was read of a device', () => {
  it('is read again after a commit of the device, not after commits of others', async () => {
    const { kept, recall } = memory();
    const all = async () => [await recall(1), await recall(2), await recall(1, 'points')];
    expect(await all()).toEqual(['1 tools 1', '2 tools 2', '1 points 3']);
    expect(await all()).toEqual(['1 tools 1', '2 tools 2', '1 points 3']);
    kept.committed(new Set([1, 3]));
    expect(await all()).toEqual(['1 tools 4', '2 tools 2', '1 points 5']);
  });

  it('is read again after a device was deleted', async () => {
    const { kept, recall } = memory();
    await recall(1);
    kept.committed('all');
    expect(await recall(1)).toBe('1 tools 2');
  });

  it('is read again when the device has another version, and kept with that one', async () => {
    const { recall } = memory();
    expect([await recall(1), await recall(1, 'points'), await recall(2)]).toEqual([
      '1 tools 1',
      '1 points 2',
      '2 tools 3',
    ]);
    expect([await recall(1, 'tools', 2), await recall(1, 'points', 2)]).toEqual(['1 tools 4', '1 points 5']);
    expect([await recall(1, 'tools', 2), await recall(2)]).toEqual(['1 tools 4', '2 tools 3']);
  });

  it('is not kept for a version that is not the newest any more', async () => {
    const { recall } = memory();
    await recall(1, 'tools', 2);
    expect([await recall(1, 'points', 1), await recall(1, 'points', 2)]).toEqual(['1 points 2', '1 points 3']);
    expect([await recall(1, 'points', 2), await recall(1, 'tools', 2)]).toEqual(['1 points 3', '1 tools 1']);
  });

  it.each([
    ['a commit of any device', (kept: DeviceMemory) => kept.committed(new Set([7]))],
    ['a deletion of one', (kept: DeviceMemory) => kept.committed('all')],
  ])('is not kept if there was %s while it was read', async (_what, interrupt) => {
    const { kept, recall } = memory();
    const first = recall(1);
    interrupt(kept);
    expect(await first).toBe('1 tools 1');
    expect(await recall(1)).not.toBe('1 tools 1');
  });

  it('is not kept if it has no texts', async () => {
    const { options, recall } = memory();
    options.isKept = false;
    await recall(1);
    expect(await recall(1)).toBe('1 tools 2');
  });

  it('is evicted for the devices that were read least recently, beyond a size', async () => {
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
