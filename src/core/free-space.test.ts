import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DiskSize } from './free-space.ts';
import { DiskAlmostFull, FreeSpace } from './free-space.ts';

const mebibyte = 1024 * 1024;
const clock = { time: 1000, now: () => clock.time };

/** Disks by their folders, and the number of their measurements. */
function disks(sizes: Record<string, DiskSize>, minFree: number | null = null) {
  const state = { measured: 0 };
  const measure = (folder: string) => {
    state.measured++;
    return sizes[folder] ?? null;
  };
  return { state, sizes, freeSpace: new FreeSpace({ minFree, clock, measure }) };
}

describe('free space', () => {
  it('is required by default: 5 % of a small disk, 512 MiB of a large one', () => {
    const { freeSpace } = disks({
      '/small': { free: 0, total: 1000 * mebibyte },
      '/large': { free: 0, total: 100_000 * mebibyte },
    });
    expect(freeSpace.spaceOf('/small')?.required).toBe(50 * mebibyte);
    expect(freeSpace.spaceOf('/large')?.required).toBe(512 * mebibyte);
  });

  it('is required as set, to the byte', () => {
    const { freeSpace } = disks({ '/a': { free: 6, total: 10 }, '/b': { free: 7, total: 10 } }, 7);
    expect(freeSpace.findLow(['/b', '/a'])).toEqual({ folder: '/a', space: { free: 6, total: 10, required: 7 } });
    expect(freeSpace.findLow(['/b'])).toBeNull();
    expect(disks({ '/a': { free: 0, total: 10 } }, 0).freeSpace.findLow(['/a'])).toBeNull();
  });

  it('is the nearest existing folder’s, and measured once in half a second', () => {
    const { freeSpace, state, sizes } = disks({ '/disk': { free: 1, total: 10 } }, 5);
    const folder = '/disk/photos/incoming';
    expect(freeSpace.findLow([folder])?.space.free).toBe(1);
    sizes['/disk'] = { free: 9, total: 10 };
    clock.time += 499;
    expect(freeSpace.findLow([folder])?.space.free).toBe(1);
    expect(state.measured).toBe(3);
    clock.time += 1;
    expect(freeSpace.findLow([folder])).toBeNull();
    // The clock was set back.
    sizes['/disk'] = { free: 2, total: 10 };
    clock.time -= 10_000;
    expect(freeSpace.findLow([folder])?.space.free).toBe(2);
  });

  it('names the folder for the operator only', () => {
    const { freeSpace } = disks({ '/disk': { free: 1.5 * mebibyte, total: 2000 * mebibyte } });
    const low = () => freeSpace.assertRoom('/elsewhere', '/disk');
    expect(low).toThrow(expect.objectContaining({ status: 507, message: expect.not.stringContaining('/disk') }));
    expect(low).toThrow(
      expect.objectContaining({
        details: expect.stringContaining('The disk with /disk has 1 MiB of free space, less than 100 MiB'),
      }),
    );
  });

  it('is checked while something is written', async () => {
    const { freeSpace, sizes } = disks({ '/disk': { free: 9, total: 10 } }, 5);
    const written: number[] = [];
    async function* content() {
      yield* [1, 2];
      sizes['/disk'] = { free: 4, total: 10 };
      clock.time += 500;
      yield 3;
    }
    const write = async () => {
      for await (const chunk of freeSpace.guard('/disk', content())) written.push(chunk);
    };
    await expect(write()).rejects.toThrow(DiskAlmostFull);
    expect(written).toEqual([1, 2]);
  });

  it('of real disks is measured, and unknown space is enough', () => {
    const freeSpace = new FreeSpace({ minFree: null, clock });
    const space = freeSpace.spaceOf(join(tmpdir(), 'not', 'there'));
    expect(space?.free).toBeGreaterThan(0);
    expect(space?.total).toBeGreaterThanOrEqual(space?.free ?? Number.POSITIVE_INFINITY);
    expect(disks({}).freeSpace.findLow(['/unknown'])).toBeNull();
  });
});
