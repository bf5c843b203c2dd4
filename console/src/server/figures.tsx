import { useSuspenseQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useZone } from '../data/garden-time.ts';
import type { components } from '../data/generated/api.ts';
import { Chart } from '../ui/chart.tsx';
import { measured } from '../ui/numbers.ts';
import { Card, EmptyState } from '../ui/page.tsx';
import { serverQueries } from './queries.ts';
import styles from './server.module.css';
import { serverText } from './text.ts';

type Sample = components['schemas']['ServerFigures']['samples'][number];

const day = 86_400;
const mebibyte = 1024 * 1024;

/** The charts, each with its divisor. */
const measures = [
  { field: 'requests', divisor: 1 },
  { field: 'errors', divisor: 1 },
  { field: 'memory', divisor: mebibyte },
  { field: 'event_loop_delay', divisor: 1 },
  { field: 'jobs_waiting', divisor: 1 },
  { field: 'http_connections', divisor: 1 },
  { field: 'broker_connections', divisor: 1 },
] as const satisfies readonly { readonly field: keyof Sample; readonly divisor: number }[];

/** Figures of the server over the last day. */
export function Figures() {
  const text = serverText();
  const { process, samples } = useSuspenseQuery(serverQueries.figures).data;
  return (
    <>
      <p>{text.figuresHint(process)}</p>
      {samples.length < 2 ? <EmptyState title={text.noFigures} /> : null}
      <div className={styles.charts}>
        {measures.map((measure) => (
          <Figure key={measure.field} measure={measure} samples={samples} />
        ))}
      </div>
    </>
  );
}

function Figure({
  measure: { field, divisor },
  samples,
}: {
  readonly measure: (typeof measures)[number];
  readonly samples: readonly Sample[];
}) {
  const text = serverText();
  const unit = text.figureUnits[field] ?? '';
  const zone = useZone();
  const times = useMemo(() => samples.map(({ at }) => Date.parse(at) / 1000), [samples]);
  const values = useMemo(
    () => samples.map(({ [field]: value }) => (value === null ? null : value / divisor)),
    [samples, field, divisor],
  );
  const numbers = values.filter((value) => value !== null);
  const [last, to] = [numbers.at(-1), times.at(-1)];
  if (last === undefined || to === undefined || numbers.length < 2) return null;
  const shown = (value: number): string => measured(value, unit);
  const name = text.figures[field];
  // From the first sample, if the server was started within the day.
  const from = Math.max(times[0] ?? to, to - day);
  return (
    <Card title={name}>
      <p>{text.now(shown(last))}</p>
      <Chart
        label={text.chart(name, shown(last), shown(Math.min(...numbers)), shown(Math.max(...numbers)))}
        name={name}
        unit={unit}
        times={times}
        values={values}
        span={[from, to]}
        zone={zone}
      />
    </Card>
  );
}
