import { useState } from 'react';
import { deleteRecords } from '../data/changes.ts';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { useMayWrite } from '../data/singles.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Confirmation } from '../ui/dialog.tsx';
import { Trash2 } from '../ui/icons.tsx';
import { Card } from '../ui/page.tsx';
import { showProblem } from '../ui/toasts.tsx';
import styles from './sensors.module.css';
import { sensorsText } from './text.ts';

/** Rows that are shown first, and added with each press. */
const pageSize = 50;

/** The single readings of a sensor, the newest first. */
export function Readings({ sensor }: { readonly sensor: RecordOf<'sensors'> }) {
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
  return (
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
                  <td>{value}</td>
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
        {asked ? text.removeWarning(asked.value, formatTime(asked.read_at)) : null}
      </Confirmation>
    </Card>
  );
}
