import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useRecords } from '../data/collections.ts';
import { type Span, spanNames } from '../data/series.ts';
import { useMayWrite } from '../data/singles.ts';
import { actionClass } from '../ui/button.tsx';
import { Select } from '../ui/fields.tsx';
import { EmptyState, Missing, Page } from '../ui/page.tsx';
import { Readings } from './readings.tsx';
import { SensorChart } from './sensor-chart.tsx';
import styles from './sensors.module.css';
import { sensorsText } from './text.ts';

const sensorsRoute = getRouteApi('/garden/sensors');

/** Readings of the sensors: a chart and a table of the chosen one. */
export function SensorsPage() {
  const text = sensorsText();
  const navigate = useNavigate();
  const search = sensorsRoute.useSearch();
  const mayWrite = useMayWrite();
  const sensors = useRecords('sensors');
  const sensor = sensors.find(({ id }) => id === search.sensor) ?? sensors[0];
  const { span = 'week' } = search;
  if (!sensor)
    return (
      <Page title={text.title}>
        <EmptyState
          title={text.none}
          action={
            mayWrite ? (
              <Link to="/things/$kind" params={{ kind: 'sensors' }} search={{ new: true }} className={actionClass}>
                {text.add}
              </Link>
            ) : null
          }
        >
          {mayWrite ? text.noneHint : null}
        </EmptyState>
      </Page>
    );
  return (
    <Page
      title={text.title}
      bar={
        <div className={styles.fields}>
          <Select
            label={text.sensor}
            value={sensor.id}
            onChange={(id) => void navigate({ to: '/sensors', search: { ...search, sensor: id } })}
            choices={sensors.map(({ id, label, pin }) => ({ value: id, label: `${label} · ${text.pin(pin)}` }))}
          />
          <Select<Span>
            label={text.span}
            value={span}
            onChange={(next) => void navigate({ to: '/sensors', search: { ...search, span: next }, replace: true })}
            choices={spanNames.map((value) => ({ value, label: text.spans[value] }))}
          />
        </div>
      }
    >
      {search.sensor !== undefined && sensor.id !== search.sensor ? <Missing /> : null}
      <SensorChart key={`chart ${sensor.id}`} sensor={sensor} span={span} />
      <Readings key={`readings ${sensor.id}`} sensor={sensor} />
    </Page>
  );
}
