import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useZone } from '../data/garden-time.ts';
import { useIsRobotCurrent, useRobotPart } from '../data/robot.ts';
import { type Series, type Span, seriesQuery, spanNames } from '../data/series.ts';
import { Chart } from '../ui/chart.tsx';
import { errorMessage } from '../ui/error-message.ts';
import { Select } from '../ui/fields.tsx';
import { measured } from '../ui/numbers.ts';
import { Card } from '../ui/page.tsx';
import styles from './robot.module.css';
import { robotText } from './text.ts';

const robotRoute = getRouteApi('/garden/robot');

const hour = 3600;

/** Measurements of the robot's computer, each with its unit and divisor. */
const measures = [
  { field: 'soc_temp', unit: ' °C', divisor: 1 },
  { field: 'wifi_level_percent', unit: ' %', divisor: 1 },
  { field: 'uptime', unit: ' h', divisor: hour },
] as const;
type Measure = (typeof measures)[number];

/** Temperature, reception and uptime, now and over time. */
export function HealthCard() {
  const text = robotText();
  const navigate = useNavigate({ from: '/robot' });
  const { span = 'day' } = robotRoute.useSearch();
  return (
    <Card title={text.health}>
      <Select<Span>
        label={text.span}
        value={span}
        onChange={(next) => void navigate({ to: '/robot', search: (old) => ({ ...old, span: next }), replace: true })}
        choices={spanNames.map((value) => ({ value, label: text[value] }))}
      />
      {measures.map((measure) => (
        <MeasureChart key={measure.field} measure={measure} span={span} />
      ))}
    </Card>
  );
}

/** Values in the unit of the chart; the same object for the same series. */
const scaled = new WeakMap<Series, readonly (number | null)[]>();
function valuesOf(series: Series, divisor: number): readonly (number | null)[] {
  const known = scaled.get(series) ?? series.values.map((value) => value && value / divisor);
  scaled.set(series, known);
  return known;
}

function MeasureChart({ measure: { field, unit, divisor }, span }: { readonly measure: Measure; readonly span: Span }) {
  const text = robotText();
  const zone = useZone();
  const name = text[field];
  const { data: series, error } = useQuery(seriesQuery({ source: 'telemetry', field }, span));
  const now = useRobotPart(({ status }) => status?.[field]);
  const isCurrent = useIsRobotCurrent();
  const shown = (value: number): string =>
    field === 'uptime' && value >= 48 ? text.days(Math.floor(value / 24)) : measured(value, unit);
  const values = series ? valuesOf(series, divisor) : [];
  const numbers = values.filter((value) => value !== null);
  return (
    <section className={styles.part} aria-label={name}>
      <div className={styles.row}>
        <h3>{name}</h3>
        {isCurrent && now != null ? <span>{text.now(shown(now / divisor))}</span> : null}
      </div>
      {error ? <p className={styles.soft}>{errorMessage(error)}</p> : null}
      {series && numbers.length === 0 ? <p className={styles.soft}>{text.noValues}</p> : null}
      {series && numbers.length > 0 ? (
        <Chart
          label={text.chart(name, shown(Math.min(...numbers)), shown(Math.max(...numbers)))}
          name={name}
          unit={unit}
          times={series.times}
          values={values}
          span={series.span}
          zone={zone}
        />
      ) : null}
    </section>
  );
}
