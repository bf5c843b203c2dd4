import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { runCommand } from '../data/commands.ts';
import { useIsRobotCurrent, useRobotPart } from '../data/robot.ts';
import { actionClass, Button } from '../ui/button.tsx';
import { NumberField, Switch } from '../ui/fields.tsx';
import { Card, EmptyState } from '../ui/page.tsx';
import { useIsControllable } from './control.ts';
import styles from './robot.module.css';
import { robotText } from './text.ts';

type Peripheral = RecordOf<'peripherals'>;

const maxAnalog = 255;

/** The pumps, lights and valves as switches, with the state that the robot reports. */
export function PeripheralsCard() {
  const text = robotText();
  const peripherals = useRecords('peripherals');
  return (
    <Card title={text.peripherals}>
      {peripherals.length === 0 ? (
        <EmptyState
          title={text.noPeripherals}
          action={
            <Link to="/things/$kind" params={{ kind: 'peripherals' }} search={{ new: true }} className={actionClass}>
              {text.addPeripheral}
            </Link>
          }
        >
          {text.noPeripheralsHint}
        </EmptyState>
      ) : (
        <ul className={styles.list}>
          {peripherals.map((peripheral) => (
            <li key={peripheral.id}>
              {peripheral.mode === 1 ? <Level peripheral={peripheral} /> : <Toggle peripheral={peripheral} />}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** The value that the robot reports of a pin now; undefined while that is not known. */
function usePinValue(pin: number): number | undefined {
  const value = useRobotPart(({ status }) => status?.pins[String(pin)]?.value);
  return useIsRobotCurrent() ? (value ?? undefined) : undefined;
}

const write = ({ id, mode }: Peripheral, value: number) => ({
  kind: 'write_pin' as const,
  args: {
    pin_number: { kind: 'named_pin' as const, args: { pin_type: 'Peripheral' as const, pin_id: id } },
    pin_value: value,
    pin_mode: mode,
  },
});

function Toggle({ peripheral }: { readonly peripheral: Peripheral }) {
  const text = robotText();
  const value = usePinValue(peripheral.pin);
  const isControllable = useIsControllable();
  /** The requested value until the response arrives. */
  const [wanted, setWanted] = useState<boolean | null>(null);
  return (
    <Switch
      label={peripheral.label}
      isSelected={wanted ?? (value ?? 0) > 0}
      isDisabled={!isControllable}
      hint={value === undefined ? text.pinUnknown : null}
      onChange={async (isOn) => {
        if (wanted !== null) return;
        setWanted(isOn);
        await runCommand(text.turn(peripheral.label, isOn), write(peripheral, isOn ? 1 : 0));
        setWanted(null);
      }}
    />
  );
}

function Level({ peripheral }: { readonly peripheral: Peripheral }) {
  const text = robotText();
  const value = usePinValue(peripheral.pin);
  const isControllable = useIsControllable();
  const [typed, setTyped] = useState<number | null>(null);
  const shown = typed ?? value ?? 0;
  return (
    <div role="group" aria-label={peripheral.label} className={styles.fields}>
      <NumberField
        label={`${peripheral.label} · ${text.value}`}
        value={shown}
        onChange={setTyped}
        minValue={0}
        maxValue={maxAnalog}
        step={1}
        hint={value === undefined ? text.pinUnknown : null}
      />
      <Button
        isDisabled={!isControllable || Number.isNaN(shown)}
        onPress={async () => {
          await runCommand(text.setTo(peripheral.label, shown), write(peripheral, shown));
          setTyped(null);
        }}
      >
        {text.set}
      </Button>
    </div>
  );
}
