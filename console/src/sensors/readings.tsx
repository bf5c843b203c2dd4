import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { deleteRecords } from '../data/changes.ts';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Card } from '../ui/page.tsx';
import { formatTime } from '../ui/times.ts';
import { showProblem } from '../ui/toasts.tsx';
import styles from './sensors.module.css';
import { sensorsText } from './text.ts';

/** Rows that are shown first, and added with each press. */
const pageSize = 50;

/** The single readings of a sensor, the newest first. */
export function Readings({ sensor }: { readonly sensor: RecordOf<'sensors'> }) {
  const text = sensorsText();
  const mayWrite = useMayWrite();
  const [limit, setLimit] = useState(pageSize);
  const readings = useRecords('sensor_readings')
    .filter(({ pin }) => pin === sensor.pin)
    .sort((a, b) => b.read_at.localeCompare(a.read_at));
  const remove = (id: number): void => {
    undoable(text.removed, (label) => deleteRecords('sensor_readings', [id], { label })).catch(showProblem);
  };
  return (
    <Card title={text.readings}>
      {readings.length === 0 ? <p className={styles.soft}>{text.noReadings}</p> : null}
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
            {readings.slice(0, limit).map(({ id, read_at, value, x, y, z }) => (
              <tr key={id}>
                <td>{formatTime(read_at)}</td>
                <td>{value}</td>
                <td>{[x, y, z].map((each) => each ?? '–').join(', ')}</td>
                {mayWrite ? (
                  <td>
                    <IconButton
                      label={text.remove(formatTime(read_at))}
                      icon={<Trash2 aria-hidden="true" size={18} />}
                      onPress={() => remove(id)}
                    />
                  </td>
                ) : null}
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {readings.length > limit ? <Button onPress={() => setLimit(limit + pageSize)}>{text.older}</Button> : null}
    </Card>
  );
}
