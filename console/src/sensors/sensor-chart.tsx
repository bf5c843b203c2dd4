import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { sendForFile } from '../data/api.ts';
import type { RecordOf } from '../data/collections.ts';
import { runCommand } from '../data/commands.ts';
import { useZone } from '../data/garden-time.ts';
import { onChange } from '../data/live.ts';
import { queryClient } from '../data/query-client.ts';
import { useIsConnected } from '../data/robot.ts';
import { type Span, seriesAddress, seriesQuery, spans } from '../data/series.ts';
import { useMayWrite } from '../data/singles.ts';
import { Button } from '../ui/button.tsx';
import { Chart } from '../ui/chart.tsx';
import { saveFile } from '../ui/download.ts';
import { errorMessage } from '../ui/error-message.ts';
import { measured } from '../ui/numbers.ts';
import { Card } from '../ui/page.tsx';
import { showProblem } from '../ui/toasts.tsx';
import styles from './sensors.module.css';
import { sensorsText } from './text.ts';

type Sensor = RecordOf<'sensors'>;

/** The readings of a sensor over time; with buttons to take a reading and to save the time span as CSV. */
export function SensorChart({ sensor, span }: { readonly sensor: Sensor; readonly span: Span }) {
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
        if (resource === 'SensorReading') void queryClient.invalidateQueries({ queryKey: ['series'] });
      }),
    [],
  );
  const numbers = series?.values.filter((value) => value !== null) ?? [];
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
            label={text.chart(sensor.label, measured(Math.min(...numbers)), measured(Math.max(...numbers)))}
            name={sensor.label}
            times={series.times}
            values={series.values}
            span={series.span}
            zone={zone}
          />
        ) : null}
      </div>
    </Card>
  );
}
