import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { sendForFile } from '../data/api.ts';
import { deleteRecords } from '../data/changes.ts';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { runCommand } from '../data/commands.ts';
import { useFormatTime, useZone } from '../data/garden-time.ts';
import { onChange } from '../data/live.ts';
import { queryClient } from '../data/query-client.ts';
import { reread } from '../data/reread.ts';
import { useIsConnected } from '../data/robot.ts';
import { percentOf, percentUnit } from '../data/sensor-values.ts';
import { type Span, seriesAddress, seriesQuery, spanNames, spans } from '../data/series.ts';
import { useMayWrite } from '../data/singles.ts';
import { actionClass, Button, IconButton } from '../ui/button.tsx';
import { Chart } from '../ui/chart.tsx';
import { Confirmation } from '../ui/dialog.tsx';
import { saveFile } from '../ui/download.ts';
import { errorMessage } from '../ui/error-message.ts';
import { Select } from '../ui/fields.tsx';
import { Trash2 } from '../ui/icons.tsx';
import { measured } from '../ui/numbers.ts';
import { Card, EmptyState, Missing, Page } from '../ui/page.tsx';
import { showProblem } from '../ui/toasts.tsx';
import { Calibration } from './calibration.tsx';
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

/** Rows that are shown first, and added with each press. */
const pageSize = 50;

/** The single readings of a sensor, the newest first. */
function Readings({ sensor }: { readonly sensor: RecordOf<'sensors'> }) {
  const text = sensorsText();
  const formatTime = useFormatTime();
  const mayWrite = useMayWrite();
  const [limit, setLimit] = useState(pageSize);
  const readings = useRecords('sensor_readings')
    .filter(({ pin }) => pin === sensor.pin)
    // By their receipt: the clock of the robot may be wrong.
    .sort((a, b) => b.id - a.id);
  // Readings are not part of the history, so a deletion cannot be undone.
  const [asked, setAsked] = useState<(typeof readings)[number] | null>(null);
  const percent = percentOf(sensor);
  const words = (value: number): string =>
    percent ? `${measured(Math.round(percent(value)), percentUnit)} (${value})` : String(value);
  return (
    <>
      {sensor.mode === 1 ? <Calibration sensor={sensor} newest={readings[0]?.value} /> : null}
      <Card title={text.readings}>
        {readings.length === 0 ? (
          <p className={styles.soft}>
            {text.noReadings} {mayWrite ? text.howToRead : null}
          </p>
        ) : null}
        {readings.length > 0 ? (
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{text.time}</th>
                <th scope="col">{text.value}</th>
                <th scope="col">{text.place}</th>
                {mayWrite ? <th scope="col">{text.actions}</th> : null}
              </tr>
            </thead>
            <tbody>
              {readings.slice(0, limit).map((reading) => {
                const { id, read_at, value, x, y, z } = reading;
                return (
                  <tr key={id}>
                    <td>{formatTime(read_at)}</td>
                    <td>{words(value)}</td>
                    <td>{[x, y, z].map((each) => each ?? '–').join(', ')}</td>
                    {mayWrite ? (
                      <td>
                        <IconButton
                          label={text.remove(formatTime(read_at))}
                          icon={<Trash2 aria-hidden="true" size={18} />}
                          onPress={() => setAsked(reading)}
                        />
                      </td>
                    ) : null}
                  </tr>
                );
              })}
            </tbody>
          </table>
        ) : null}
        {readings.length > limit ? <Button onPress={() => setLimit(limit + pageSize)}>{text.older}</Button> : null}
        <Confirmation
          title={text.removeTitle}
          isOpen={asked !== null}
          onClose={() => setAsked(null)}
          confirm={text.removeWord}
          onConfirm={() => {
            if (asked) deleteRecords('sensor_readings', [asked.id]).catch(showProblem);
          }}
        >
          {asked ? text.removeWarning(words(asked.value), formatTime(asked.read_at)) : null}
        </Confirmation>
      </Card>
    </>
  );
}

type Sensor = RecordOf<'sensors'>;

/** The readings of a sensor over time; with buttons to take a reading and to save the time span as CSV. */
function SensorChart({ sensor, span }: { readonly sensor: Sensor; readonly span: Span }) {
  const text = sensorsText();
  const zone = useZone();
  const mayWrite = useMayWrite();
  const isConnected = useIsConnected();
  const [isReading, setReading] = useState(false);
  const source = { source: 'sensor_reading', pin: sensor.pin } as const;
  const { data: series, error } = useQuery(seriesQuery(source, span));
  useEffect(
    () =>
      onChange(({ resource }) => {
        if (resource === 'SensorReading') reread(queryClient, ['series']);
      }),
    [],
  );
  const { dry_reading, wet_reading } = sensor;
  const percent = useMemo(() => percentOf({ dry_reading, wet_reading }), [dry_reading, wet_reading]);
  const values = useMemo(
    () => series?.values.map((value) => (value === null || !percent ? value : percent(value))) ?? [],
    [series, percent],
  );
  const unit = percent ? percentUnit : '';
  const numbers = values.filter((value) => value !== null);
  const read = async (): Promise<void> => {
    setReading(true);
    const pin = { kind: 'named_pin' as const, args: { pin_type: 'Sensor' as const, pin_id: sensor.id } };
    const args = { pin_number: pin, label: sensor.label, pin_mode: sensor.mode };
    await runCommand(text.readSentence(sensor.label), { kind: 'read_pin', args });
    setReading(false);
  };
  const download = async (): Promise<void> => {
    const now = Math.floor(Date.now() / 1000);
    try {
      const file = await sendForFile(seriesAddress(source, now - spans[span], now), 'text/csv');
      saveFile(file, `${sensor.label}.csv`);
    } catch (problem) {
      showProblem(problem);
    }
  };
  return (
    <Card
      title={sensor.label}
      actions={
        <>
          {mayWrite ? (
            <Button isDisabled={!isConnected || isReading} onPress={() => void read()}>
              {text.readNow}
            </Button>
          ) : null}
          <Button isDisabled={numbers.length === 0} onPress={() => void download()}>
            {text.csv}
          </Button>
        </>
      }
    >
      {mayWrite && !isConnected ? <p className={styles.soft}>{text.offline}</p> : null}
      <div className={styles.plot}>
        {error ? <p className={styles.soft}>{errorMessage(error)}</p> : null}
        {series && numbers.length === 0 ? <p className={styles.soft}>{text.noValues}</p> : null}
        {series && numbers.length > 0 ? (
          <Chart
            label={text.chart(sensor.label, measured(Math.min(...numbers), unit), measured(Math.max(...numbers), unit))}
            unit={unit}
            name={sensor.label}
            times={series.times}
            values={values}
            span={series.span}
            zone={zone}
          />
        ) : null}
      </div>
    </Card>
  );
}
