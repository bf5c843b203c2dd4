import { useState } from 'react';
import { createRecord } from '../data/changes.ts';
import { useRecords } from '../data/collections.ts';
import { useIsRobotCurrent, useRobotPart } from '../data/robot.ts';
import { isActive, startRun, useRun } from '../data/runs.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { useWebAppConfig } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Button } from '../ui/button.tsx';
import { useDraft } from '../ui/draft.ts';
import { Select, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { measured } from '../ui/numbers.ts';
import { Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { showProblem, showToast } from '../ui/toasts.tsx';
import styles from './map.module.css';
import { NoWatering } from './no-watering.tsx';
import type { Plant, Point } from './points.ts';
import { type Coordinates, coordinatesOf, moveTo, runAt } from './robot-commands.ts';
import { mapText } from './text.ts';
import {
  type Dose,
  dosesOf,
  groupedDoses,
  nozzleOf,
  usualMethod,
  type WateringMethod,
  wateringMethods,
  wateringSteps,
} from './watering.ts';

/** Sends the robot to a place, along the axes that the settings name. */
export function MoveHereButton({ place }: { readonly place: Coordinates }) {
  const text = mapText();
  const { go_button_axes: names } = useWebAppConfig();
  const position = useRobotPart(({ status }) => status?.position);
  const isCurrent = useIsRobotCurrent();
  const [isMoving, setMoving] = useState(false);
  const move = async (): Promise<void> => {
    const moved = coordinatesOf(place, names);
    const [x, y] = [moved.x ?? position?.x ?? place.x, moved.y ?? position?.y ?? place.y];
    setMoving(true);
    try {
      await runAt(x, y, moveTo(moved));
      showToast({ text: text.arrived(Math.round(x), Math.round(y)) });
    } catch (error) {
      showProblem(error);
    } finally {
      setMoving(false);
    }
  };
  return (
    <Button onPress={() => void move()} isDisabled={!isCurrent || isMoving}>
      {isMoving ? text.moving : names === 'XY' ? text.moveHere : text.moveHereAlong([...names].join(', '))}
    </Button>
  );
}

/** Shows how much water each plant gets by the chosen method, with a button to start. */
export function WaterPanel({ plants, onDone }: { readonly plants: readonly Plant[]; readonly onDone: () => void }) {
  const text = mapText();
  const tools = useRecords('tools');
  const methods = wateringMethods(useRecords('sequences'), useRecords('peripherals'));
  const [now] = useState(Date.now);
  const source = { curves: useRecords('curves'), tools, now };
  const isCurrent = useIsRobotCurrent();
  const run = useRun();
  const [chosen, setChosen] = useState('');
  const submission = useSubmission({ chosen, plants });
  const method = methods.find((each) => methodKey(each) === chosen) ?? usualMethod(methods, plants, source);
  if (!method) return <NoWatering reason={text.noWater} />;
  const doses = dosesOf(plants, method, source);
  const start = () =>
    submission.run(() => startRun(method.name, wateringSteps(method, doses, nozzleOf(tools))), onDone);
  return (
    <Form
      onSubmit={start}
      submit={text.startWatering}
      isDisabled={!isCurrent || (run !== undefined && isActive(run)) || plants.length === 0}
      submission={submission}
    >
      {methods.length > 1 ? (
        <Select
          label={text.waterBy}
          value={methodKey(method)}
          choices={methods.map((each) => ({
            value: methodKey(each),
            label: each.kind === 'sequence' ? text.byProgram(each.name) : text.byPeripheral(each.name),
          }))}
          onChange={setChosen}
        />
      ) : null}
      <p>
        {method.kind === 'sequence'
          ? text.waterBySequence(plants.length, method.name)
          : text.waterByPeripheral(plants.length, method.name)}
      </p>
      <DoseList doses={doses} />
      {isCurrent ? null : <Notice tone="warn">{text.noRobot}</Notice>}
    </Form>
  );
}

const methodKey = ({ kind, id }: WateringMethod): string => `${kind} ${id}`;

/** How much water plants get. */
function DoseList({ doses }: { readonly doses: readonly Dose[] }) {
  const text = mapText();
  const water = ({ milliliters, time, age }: Dose): string => {
    if (milliliters === 0) return text.noDose;
    if (milliliters === null) return time === null ? text.unknownDose : text.openFor(measured(time / 1000));
    return age === null ? text.dose(amount(milliliters)) : text.doseByCurve(amount(milliliters), age);
  };
  const known = doses.flatMap(({ milliliters }) => milliliters ?? []);
  return (
    <>
      <ul className={styles.list}>
        {groupedDoses(doses).map((group) => (
          <li key={group.plant.id}>
            {text.dosesOf(group.count, group.plant.name)} {water(group)}
          </li>
        ))}
      </ul>
      {doses.length > 1 && known.length === doses.length ? (
        <p>{text.waterInAll(amount(known.reduce((sum, each) => sum + each, 0)))}</p>
      ) : null}
    </>
  );
}

/** Returns an amount of water as text. */
const amount = (milliliters: number): string =>
  milliliters < 1000 ? measured(Math.round(milliliters), '\u00a0ml') : measured(milliliters / 1000, '\u00a0l');

/** Creates a group of points. */
export function GroupPanel({ points, onDone }: { readonly points: readonly Point[]; readonly onDone: () => void }) {
  const text = mapText();
  const [name, setName, endDraft] = useDraft('map group', '');
  const submission = useSubmission({ name });
  const create = () =>
    submission.run(
      () =>
        undoable(
          text.groupMade(name),
          (label) => createRecord('point_groups', { name, point_ids: points.map(({ id }) => id) }, { label }),
          ({ id }) => ({
            label: text.showGroup,
            to: '/things/$kind',
            params: { kind: 'point_groups' },
            search: { id },
          }),
        ),
      () => {
        endDraft();
        onDone();
      },
    );
  return (
    <Form onSubmit={create} submit={text.makeGroupOf(points.length)} submission={submission} fields={['name']}>
      <TextField
        label={sharedLabels().name}
        value={name}
        onChange={setName}
        problem={submission.problems.name}
        isRequired
        autoFocus
      />
    </Form>
  );
}
