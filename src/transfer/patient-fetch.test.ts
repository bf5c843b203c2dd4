import { describe, expect, it } from 'vitest';
import type { FetchLimits } from '../engine/server-fetch.ts';
import { FetchFailure } from '../engine/server-fetch.ts';
import { OutOfPatience, PatientFetch } from './patient-fetch.ts';

/** A network on which each answer takes its time. */
function network(answer: (url: string) => { takes: number; status?: number }) {
  const state = { time: 0, asked: [] as string[] };
  const fetch = async (url: string, { timeout }: FetchLimits) => {
    state.asked.push(url);
    const { takes, status = 200 } = answer(url);
    state.time += Math.min(takes, timeout);
    if (takes > timeout) throw new FetchFailure('timeout');
    return { status, type: 'image/jpeg', body: Buffer.from('photo'), isTruncated: false };
  };
  return { state, patient: new PatientFetch({ fetch, maxBytes: 1000, now: () => state.time }) };
}

async function fetchAll(patient: PatientFetch, urls: readonly string[]): Promise<string[]> {
  const outcomes: string[] = [];
  for (const url of urls)
    outcomes.push(
      await patient.get(url).then(
        () => 'there',
        (error: unknown) => (error instanceof OutOfPatience ? error.message : String((error as FetchFailure).reason)),
      ),
    );
  return outcomes;
}

describe('photos from elsewhere', () => {
  it('do not hold an import up when their host hangs', async () => {
    const { state, patient } = network((url) => ({ takes: url.includes('hangs') ? Number.POSITIVE_INFINITY : 100 }));
    const hanging = Array.from({ length: 50 }, (_, n) => `http://hangs.example/${n}.jpg`);
    const outcomes = await fetchAll(patient, [...hanging, 'http://works.example/1.jpg']);
    expect(outcomes.slice(0, 3)).toEqual(['timeout', 'timeout', 'Its host did not answer in time for others.']);
    expect(outcomes.at(-1)).toBe('there');
    expect([state.asked.length, state.time]).toEqual([3, 40_100]);
  });

  it('are waited for again when one arrives after one that was late', async () => {
    const { patient } = network((url) => ({ takes: url.endsWith('late') ? 30_000 : 100 }));
    const one = 'http://slow.example/';
    expect(await fetchAll(patient, [`${one}late`, one, `${one}late`, one])).toEqual([
      'timeout',
      'there',
      'timeout',
      'there',
    ]);
  });

  it('come as long as they arrive, and ten minutes at most', async () => {
    const quick = network(() => ({ takes: 1000 }));
    const many = Array.from({ length: 700 }, (_, n) => `http://quick.example/${n}`);
    const outcomes = await fetchAll(quick.patient, many);
    expect(outcomes.filter((one) => one === 'there')).toHaveLength(600);
    expect(outcomes.at(-1)).toBe('There was no time left to fetch it.');
    const slow = network(() => ({ takes: 15_000 }));
    expect((await fetchAll(slow.patient, many)).filter((one) => one === 'there')).toHaveLength(4);
    expect(slow.state.time).toBeLessThanOrEqual(70_000);
    const refusing = network(() => ({ takes: 1000, status: 404 }));
    await fetchAll(refusing.patient, many);
    expect(refusing.state.time).toBe(60_000);
  });
});
