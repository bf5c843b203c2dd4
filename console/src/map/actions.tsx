import { useState } from 'react';
import { createRecord } from '../data/changes.ts';
import { useRecords } from '../data/collections.ts';
import { useIsRobotCurrent, useRobotPart } from '../data/robot.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { useWebAppConfig } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Button } from '../ui/button.tsx';
import { useDraft } from '../ui/draft.ts';
import { TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { showProblem, showToast } from '../ui/toasts.tsx';
import { NoWatering } from './no-watering.tsx';
import type { Plant, Point } from './points.ts';
import { type Coordinates, coordinatesOf, moveTo, runAt } from './robot-commands.ts';
import { mapText } from './text.ts';
import { openTime, startWatering, useWatering, wateringMethods } from './watering.ts';

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

/** Shows the method of watering plants, with a button to start. */
export function WaterPanel({ plants, onDone }: { readonly plants: readonly Plant[]; readonly onDone: () => void }) {
  const text = mapText();
  const [method] = wateringMethods(useRecords('sequences'), useRecords('peripherals'));
  const isCurrent = useIsRobotCurrent();
  const isRunning = useWatering()?.state === 'running';
  if (!method) return <NoWatering reason={text.noWater} />;
  return (
    <>
      <p>
        {method.kind === 'sequence'
          ? text.waterBySequence(plants.length, method.name)
          : text.waterByPeripheral(plants.length, method.name, openTime / 1000)}
      </p>
      {isCurrent ? null : <Notice tone="warn">{text.noRobot}</Notice>}
      <Button
        tone="primary"
        isDisabled={!isCurrent || isRunning || plants.length === 0}
        onPress={() => {
          void startWatering(plants, method);
          onDone();
        }}
      >
        {text.startWatering}
      </Button>
    </>
  );
}

/** Creates a group of points. */
export function GroupPanel({ points, onDone }: { readonly points: readonly Point[]; readonly onDone: () => void }) {
  const text = mapText();
  const [name, setName, endDraft] = useDraft('map group', '');
  const submission = useSubmission();
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
