import { queryOptions } from '@tanstack/react-query';
import { send } from './api.ts';
import type { components, paths } from './generated/api.ts';

type SeriesQuery = paths['/api/series']['get']['parameters']['query'];
/** The source of a series: a pin, or a field of the robot's computer. */
type SeriesSource = Pick<SeriesQuery, 'source' | 'pin' | 'field'>;

const day = 86_400;
/** The spans of charts by name, in seconds. */
export const spans = { day, week: 7 * day, month: 30 * day, year: 365 * day } as const;
export type Span = keyof typeof spans;
export const spanNames = Object.keys(spans) as readonly Span[];

/** Interval between reads of a shown chart, in ms. */
const refreshTime = 5 * 60_000;

/** Values over the last span: times in seconds since the epoch. */
export interface Series {
  readonly span: readonly [from: number, to: number];
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
}

/** The address of a span of a series; times in seconds since the epoch. */
export function seriesAddress(source: SeriesSource, from: number, to: number): string {
  const span = { from: new Date(from * 1000).toISOString(), to: new Date(to * 1000).toISOString() };
  const query = Object.entries({ ...source, ...span }).map(([name, value]): [string, string] => [name, String(value)]);
  return `/api/series?${new URLSearchParams(query)}`;
}

/** The query of a chart. */
export const seriesQuery = (source: SeriesSource, span: Span) =>
  queryOptions({
    queryKey: ['series', source, span],
    refetchInterval: refreshTime,
    async queryFn(): Promise<Series> {
      const to = Math.floor(Date.now() / 1000);
      const from = to - spans[span];
      const address = seriesAddress(source, from, to);
      const { buckets } = await send<components['schemas']['SeriesBuckets']>('GET', address);
      return {
        span: [from, to],
        times: buckets.map(({ at }) => Date.parse(at) / 1000),
        values: buckets.map(({ avg }) => avg ?? null),
      };
    },
  });
