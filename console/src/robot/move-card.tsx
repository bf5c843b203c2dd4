import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { runCommand } from '../data/commands.ts';
import { useBedSize, useFirmwareConfig, useWebAppConfig } from '../data/singles.ts';
import { Actions } from '../ui/actions.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Confirmation } from '../ui/dialog.tsx';
import { Checkbox, NumberField, Select } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { ArrowDown, ArrowDownToLine, ArrowLeft, ArrowRight, ArrowUp, ArrowUpFromLine, House } from '../ui/icons.tsx';
import { Card } from '../ui/page.tsx';
import { type ShortcutGroup, useShortcuts } from '../ui/shortcuts.ts';
import { type Axis, type AxisChoice, axes, moveBy, moveTo, useIsControllable } from './control.ts';
import { type Direction, jogsOf } from './directions.ts';
import { steps } from './pad-steps.ts';
import styles from './robot.module.css';
import { robotText } from './text.ts';

const robotRoute = getRouteApi('/garden/robot');

const defaultStep = 100;
const icons = {
  up: ArrowUp,
  left: ArrowLeft,
  right: ArrowRight,
  down: ArrowDown,
  raise: ArrowUpFromLine,
  lower: ArrowDownToLine,
} as const;
const directions = Object.keys(icons) as readonly Direction[];
const keys: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  PageUp: 'raise',
  PageDown: 'lower',
};

const padKeys: ShortcutGroup = {
  title: () => robotText().pad,
  shortcuts: Object.entries(keys).map(([key, direction]) => ({
    keys: key,
    label: () => robotText().directions[direction],
  })),
};

/** Moves the robot by hand. */
export const MoveCard = () => (
  <Card title={robotText().move}>
    <JogPad />
    <GoTo />
    <Home />
  </Card>
);

/** The command that moves to home, or finds it, with its sentence. */
function homeCommand(kind: 'home' | 'find_home', axis: AxisChoice) {
  const text = robotText();
  const name = axis === 'all' ? text.all : axis;
  const sentence = kind === 'home' ? text.goHomeSentence(name) : text.findHomeSentence(name);
  return { sentence, run: () => void runCommand(sentence, { kind, args: { axis, speed: 100 } }) };
}

function JogPad() {
  const text = robotText();
  useShortcuts(padKeys);
  const navigate = useNavigate();
  const search = robotRoute.useSearch();
  const { step = defaultStep } = search;
  const config = useWebAppConfig();
  const jogs = jogsOf(config);
  const home = homeCommand(config.home_button_homing ? 'find_home' : 'home', 'all');
  const isControllable = useIsControllable();
  const jog = (direction: Direction): void => {
    const { axis, sign } = jogs[direction];
    void runCommand(text.jog(axis, sign * step), moveBy(axis, sign * step));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const direction = keys[event.key];
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) return;
    // The page would scroll.
    event.preventDefault();
    if (isControllable && !event.repeat) jog(direction);
  };
  return (
    <>
      <div className={styles.steps} role="group" aria-label={text.step}>
        <span className={styles.label} aria-hidden="true">
          {text.step} (mm)
        </span>
        {steps.map((each) => (
          <Button
            key={each}
            tone={each === step ? 'primary' : 'plain'}
            aria-pressed={each === step}
            aria-label={`${each} mm`}
            onPress={() => void navigate({ to: '/robot', search: { ...search, step: each }, replace: true })}
          >
            {each}
          </Button>
        ))}
      </div>
      <fieldset className={styles.pad} aria-label={text.pad} onKeyDownCapture={onKeyDown}>
        {directions.map((direction) => {
          const { axis, sign } = jogs[direction];
          const Icon = icons[direction];
          return (
            <div key={direction} className={styles[direction]}>
              <IconButton
                label={text.jog(axis, sign * step)}
                tone="plain"
                icon={
                  <span className={styles.arrow}>
                    <Icon aria-hidden="true" size={22} />
                    {axis.toUpperCase()}
                    {sign > 0 ? '+' : '−'}
                  </span>
                }
                isDisabled={!isControllable}
                onPress={() => jog(direction)}
              />
            </div>
          );
        })}
        <div className={styles.home}>
          <IconButton
            label={home.sentence}
            tone="plain"
            icon={<House aria-hidden="true" size={22} />}
            isDisabled={!isControllable}
            onPress={home.run}
          />
        </div>
      </fieldset>
      <p className={styles.soft} data-for-keys>
        {text.padHint}
      </p>
    </>
  );
}

/** `120,300` → x and y. */
const numbersOf = (place: string | undefined): readonly number[] =>
  place?.split(',').map((each) => (each.trim() === '' ? Number.NaN : Number(each))) ?? [];

function GoTo() {
  const text = robotText();
  const { place } = robotRoute.useSearch();
  const isControllable = useIsControllable();
  const [x = Number.NaN, y = Number.NaN, z = Number.NaN] = numbersOf(place);
  const [values, setValues] = useState<Readonly<Record<Axis, number>>>({ x, y, z });
  const [speed, setSpeed] = useState(100);
  const [isSafe, setSafe] = useState(false);
  const { map_size_x, map_size_y } = useBedSize();
  const { movement_home_up_x, movement_home_up_y } = useFirmwareConfig();
  const [isAsking, setAsking] = useState(false);
  const given = axes.filter((axis) => Number.isFinite(values[axis]));
  const places = given.map((axis) => `${axis} ${values[axis]}`).join(', ');
  const isBeyond = (value: number, size: number, isNegative: boolean): boolean => {
    const along = isNegative ? -value : value;
    return along < 0 || along > size;
  };
  const go = (): void => {
    const chosen = Object.fromEntries(given.map((axis) => [axis, values[axis]]));
    void runCommand(text.goSentence(places), moveTo({ place: chosen, speed, isSafe }));
  };
  return (
    <section className={styles.part} aria-label={text.goTo}>
      <h3>{text.goTo}</h3>
      <Form
        onSubmit={() => {
          if (given.length === 0) return;
          if (
            isBeyond(values.x, map_size_x, movement_home_up_x === 1) ||
            isBeyond(values.y, map_size_y, movement_home_up_y === 1)
          )
            setAsking(true);
          else go();
        }}
        submit={text.go}
        isDisabled={!isControllable}
        actions={
          <Link to="/map" className={styles.link}>
            {text.chooseOnMap}
          </Link>
        }
      >
        <div className={styles.fields}>
          {axes.map((axis) => (
            <NumberField
              key={axis}
              label={axis.toUpperCase()}
              unit="mm"
              value={values[axis]}
              onChange={(value) => setValues({ ...values, [axis]: value })}
            />
          ))}
          <NumberField label={text.speed} value={speed} onChange={setSpeed} minValue={1} maxValue={100} />
        </div>
        <Checkbox label={text.safeZ} isSelected={isSafe} onChange={setSafe} hint={text.goToHint} />
      </Form>
      <Confirmation
        title={text.beyondTitle}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirm={text.goNevertheless}
        onConfirm={go}
      >
        {text.beyond(places, map_size_x, map_size_y)}
      </Confirmation>
    </section>
  );
}

function Home() {
  const text = robotText();
  const isControllable = useIsControllable();
  const [axis, setAxis] = useState<AxisChoice>('all');
  const name = axis === 'all' ? text.all : axis;
  return (
    <section className={styles.part} aria-label={text.home}>
      <h3>{text.home}</h3>
      <Select
        label={text.axis}
        value={axis}
        onChange={setAxis}
        choices={[
          { value: 'all', label: text.allAxes },
          ...axes.map((value) => ({ value, label: value.toUpperCase() })),
        ]}
      />
      <Actions>
        <Button isDisabled={!isControllable} onPress={homeCommand('home', axis).run}>
          {text.goHome}
        </Button>
        <Button isDisabled={!isControllable} onPress={homeCommand('find_home', axis).run}>
          {text.findHome}
        </Button>
        <ConfirmButton
          isDisabled={!isControllable}
          word={text.setHome}
          title={text.setHomeTitle}
          hint={text.setHomeWarning}
          onConfirm={() => void runCommand(text.setHomeSentence(name), { kind: 'zero', args: { axis } })}
        />
      </Actions>
    </section>
  );
}
