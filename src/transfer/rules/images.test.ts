import { describe, expect, it } from 'vitest';
import type { FetchLimits } from '../../engine/server-fetch.ts';
import { FetchFailure } from '../../engine/server-fetch.ts';
import { PhotoFetcher, UnavailablePhotoError } from './images.ts';

/** A network whose responses take a given time. */
function network(respond: (url: string) => { takes: number; status?: number }) {
  const state = { time: 0, asked: [] as string[] };
  const fetch = async (url: string, { timeout }: FetchLimits) => {
    state.asked.push(url);
    const { takes, status = 200 } = respond(url);
    state.time += Math.min(takes, timeout);
    if (takes > timeout) throw new FetchFailure('timeout');
    return { status, type: 'image/jpeg', body: Buffer.from('photo'), isTruncated: false, isPublic: true };
  };
  return { state, fetcher: new PhotoFetcher(fetch, () => state.time) };
}

async function fetchAll(fetcher: PhotoFetcher, urls: readonly string[]): Promise<string[]> {
  const outcomes: string[] = [];
  for (const url of urls)
    outcomes.push(
      await fetcher.fetch(url).then(
        () => 'there',
        (error: unknown) =>
          error instanceof UnavailablePhotoError ? error.message : String((error as FetchFailure).reason),
      ),
    );
  return outcomes;
}

describe('fetching photos', () => {
  it('does not wait for a host that hangs', async () => {
    const { state, fetcher } = network((url) => ({ takes: url.includes('hangs') ? Number.POSITIVE_INFINITY : 100 }));
    const silentUrls = Array.from({ length: 50 }, (_, n) => `http://hangs.example/${n}.jpg`);
    const outcomes = await fetchAll(fetcher, [...silentUrls, 'http://works.example/1.jpg']);
    expect(outcomes.slice(0, 3)).toEqual(['timeout', 'timeout', 'Its host did not respond in time before.']);
    expect(outcomes.at(-1)).toBe('there');
    expect([state.asked.length, state.time]).toEqual([3, 40_100]);
  });

  it('contacts a host again if it responds after a timeout', async () => {
    const { fetcher } = network((url) => ({ takes: url.endsWith('late') ? 30_000 : 100 }));
    const one = 'http://slow.example/';
    expect(await fetchAll(fetcher, [`${one}late`, one, `${one}late`, one])).toEqual([
      'timeout',
      'there',
      'timeout',
      'there',
    ]);
  });

  it('continues as long as photos arrive, but at most ten minutes', async () => {
    const quick = network(() => ({ takes: 1000 }));
    const many = Array.from({ length: 700 }, (_, n) => `http://quick.example/${n}`);
    const outcomes = await fetchAll(quick.fetcher, many);
    expect(outcomes.filter((one) => one === 'there')).toHaveLength(600);
    expect(outcomes.at(-1)).toBe('There was no time left to fetch it.');
    const slow = network(() => ({ takes: 15_000 }));
    expect((await fetchAll(slow.fetcher, many)).filter((one) => one === 'there')).toHaveLength(4);
    expect(slow.state.time).toBeLessThanOrEqual(70_000);
    const refusing = network(() => ({ takes: 1000, status: 404 }));
    await fetchAll(refusing.fetcher, many);
    expect(refusing.state.time).toBe(60_000);
  });
});
