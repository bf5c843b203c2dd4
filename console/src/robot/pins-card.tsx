import { useState } from 'react';
import { runCommand } from '../data/commands.ts';
import { useIsRobotCurrent, useRobotPart } from '../data/robot.ts';
import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { Facts } from '../ui/facts.tsx';
import { NumberField, Select } from '../ui/fields.tsx';
import { Card } from '../ui/page.tsx';
import { useIsControllable } from './control.ts';
import styles from './robot.module.css';
import { robotText } from './text.ts';

const [maxPin, maxAnalog] = [69, 255];

/** Any pin of the motor controller: reads and writes it. */
export function PinsCard() {
  const text = robotText();
  const isControllable = useIsControllable();
  const isCurrent = useIsRobotCurrent();
  const pins = useRobotPart(({ status }) => status?.pins) ?? {};
  const [pin, setPin] = useState(13);
  const [mode, setMode] = useState<0 | 1>(0);
  const [value, setValue] = useState(0);
  const isValid = Number.isInteger(pin) && Number.isInteger(value);
  return (
    <Card title={text.pins}>
      <div className={styles.fields}>
        <NumberField label={text.pin} value={pin} onChange={setPin} minValue={0} maxValue={maxPin} step={1} />
        <Select<0 | 1>
          label={text.mode}
          value={mode}
          onChange={setMode}
          choices={[
            { value: 0, label: text.digital },
            { value: 1, label: text.analog },
          ]}
        />
        <NumberField
          label={text.value}
          value={value}
          onChange={setValue}
          minValue={0}
          maxValue={mode === 1 ? maxAnalog : 1}
          step={1}
        />
      </div>
      <Actions>
        <Button
          isDisabled={!isControllable || !isValid}
          onPress={() =>
            void runCommand(text.readPin(pin), {
              kind: 'read_pin',
              args: { pin_number: pin, label: `pin ${pin}`, pin_mode: mode },
            })
          }
        >
          {text.read}
        </Button>
        <Button
          isDisabled={!isControllable || !isValid}
          onPress={() =>
            void runCommand(text.writePin(pin, value), {
              kind: 'write_pin',
              args: { pin_number: pin, pin_value: value, pin_mode: mode },
            })
          }
        >
          {text.write}
        </Button>
      </Actions>
      {isCurrent && Object.keys(pins).length > 0 ? (
        <section className={styles.part} aria-label={text.reportedPins}>
          <h3>{text.reportedPins}</h3>
          <Facts of={Object.entries(pins).map(([number, state]) => [`${text.pin} ${number}`, state.value ?? '–'])} />
        </section>
      ) : null}
    </Card>
  );
}
