import { Link } from '@tanstack/react-router';
import { updateRecord } from '../data/changes.ts';
import type { RecordOf, UpdateOf } from '../data/collections.ts';
import { attempt } from '../data/confirmation.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/page.tsx';
import { sensorsText } from './text.ts';

export interface CalibrationProps {
  readonly sensor: RecordOf<'sensors'>;
  /** The newest reading; undefined: there is none. */
  readonly newest: number | undefined;
}

/** The readings in dry and in wet soil, between which readings are percentages. */
export function Calibration({ sensor: { id, label, dry_reading: dry, wet_reading: wet }, newest }: CalibrationProps) {
  const text = sensorsText();
  const mayWrite = useMayWrite();
  const change = (update: UpdateOf<'sensors'>, sentence: string) =>
    attempt(() => undoable(sentence, (request) => updateRecord('sensors', id, update, { label: request })));
  const take = (name: 'dry_reading' | 'wet_reading', value: number) =>
    change({ [name]: value }, text.calibratedNow(label, value));
  const state =
    dry !== null && wet !== null
      ? text.calibrated(dry, wet)
      : dry !== null || wet !== null
        ? text.half(dry, wet)
        : null;
  if (!mayWrite && state === null) return null;
  return (
    <Card title={text.calibration}>
      {state === null ? null : <p role="status">{state}</p>}
      {mayWrite ? (
        <>
          <p>{text.calibrationHint}</p>
          <Actions>
            {(['dry', 'wet'] as const).map((soil) => (
              <Button
                key={soil}
                isDisabled={newest === undefined}
                onPress={() => void take(`${soil}_reading`, newest ?? 0)}
              >
                {newest === undefined ? text[soil] : `${text[soil]} (${newest})`}
              </Button>
            ))}
            {state === null ? null : (
              <Button onPress={() => void change({ dry_reading: null, wet_reading: null }, text.forgotten(label))}>
                {text.forget}
              </Button>
            )}
            <Link to="/things/$kind" params={{ kind: 'sensors' }} search={{ id }}>
              {text.byHand}
            </Link>
          </Actions>
        </>
      ) : null}
    </Card>
  );
}
