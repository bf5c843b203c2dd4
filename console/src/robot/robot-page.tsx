import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { type RobotProgram, runCommand } from '../data/commands.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { ParameterFields, parameterValues, problemKey, requireValues } from '../data/parameter-field.tsx';
import { type ParameterValues as GivenValues, type Parameter, parametersOf } from '../data/parameters.ts';
import { isPending } from '../data/photo-states.ts';
import { useIsConnected } from '../data/robot.ts';
import { photoAddress } from '../data/shown-address.ts';
import { useMayWrite } from '../data/singles.ts';
import { switchVirtualRobot, virtualRobotQuery } from '../data/virtual-robot.ts';
import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Part } from '../ui/failure.tsx';
import { Form } from '../ui/form.tsx';
import { Card, Cards, Page } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { showProblem } from '../ui/toasts.tsx';
import { type Step, useIsControllable } from './control.ts';
import { HealthCard } from './health-card.tsx';
import { MoveCard } from './move-card.tsx';
import { PeripheralsCard } from './peripherals-card.tsx';
import { PinsCard } from './pins-card.tsx';
import styles from './robot.module.css';
import { SoftwareCard, StateCard } from './state-card.tsx';
import { robotText } from './text.ts';
import { ToolsCard } from './tools-card.tsx';

/** The cards in their order. Viewers get only cards with content. */
const cards = [
  { id: 'state', OneCard: StateCard, isForViewers: true },
  { id: 'move', OneCard: MoveCard },
  { id: 'programs', OneCard: ProgramsCard },
  { id: 'peripherals', OneCard: PeripheralsCard },
  { id: 'tools', OneCard: ToolsCard },
  { id: 'camera', OneCard: CameraCard, isForViewers: true },
  { id: 'health', OneCard: HealthCard, isForViewers: true },
  { id: 'software', OneCard: SoftwareCard, isForViewers: true },
  { id: 'pins', OneCard: PinsCard },
  { id: 'power', OneCard: PowerCard },
  { id: 'virtual', OneCard: VirtualRobotCard, isForViewers: true },
];

/** The state of the robot, and all commands to it. Viewers see the state only. */
export function RobotPage() {
  const text = robotText();
  const mayWrite = useMayWrite();
  return (
    <Page
      title={text.title}
      width="full"
      actions={
        mayWrite ? (
          <Link to="/robot/setup" className={styles.link}>
            {text.setup}
          </Link>
        ) : null
      }
    >
      <Cards>
        {cards.map(({ id, OneCard, isForViewers }) =>
          mayWrite || isForViewers ? (
            // Each is shown as soon as its data are loaded.
            <Part key={id}>
              <OneCard />
            </Part>
          ) : null,
        )}
      </Cards>
    </Page>
  );
}

/** Restarts and switches off, each after a confirmation. */
function PowerCard() {
  const text = robotText();
  const isConnected = useIsConnected();
  const actions: readonly { readonly name: string; readonly warning: string; readonly step: Step }[] = [
    { name: text.restart, warning: text.restartWarning, step: { kind: 'reboot', args: { package: 'farmbot_os' } } },
    {
      name: text.restartFirmware,
      warning: text.restartFirmwareWarning,
      step: { kind: 'reboot', args: { package: 'arduino_firmware' } },
    },
    { name: text.powerOff, warning: text.powerOffWarning, step: { kind: 'power_off', args: {} } },
  ];
  return (
    <Card title={text.power}>
      <Actions>
        {actions.map(({ name, warning, step }) => (
          <ConfirmButton
            key={name}
            tone="danger"
            isDisabled={!isConnected}
            word={name}
            title={text.sure(name)}
            hint={warning}
            onConfirm={() => void runCommand(name, step)}
          />
        ))}
      </Actions>
    </Card>
  );
}

/** Takes a photo, and shows the newest one, which appears when it arrives. */
function CameraCard() {
  const text = robotText();
  const formatTime = useFormatTime();
  const isControllable = useIsControllable();
  const mayWrite = useMayWrite();
  const images = useRecords('images');
  const [isTaking, setTaking] = useState(false);
  const newest = images.reduce<(typeof images)[number] | undefined>(
    (best, image) => (best && best.created_at > image.created_at ? best : image),
    undefined,
  );
  return (
    <Card
      title={text.camera}
      actions={
        mayWrite ? (
          <Button
            isDisabled={!isControllable}
            isPending={isTaking}
            onPress={async () => {
              setTaking(true);
              await runCommand(text.takePhoto, { kind: 'take_photo', args: {} });
              setTaking(false);
            }}
          >
            {text.takePhoto}
          </Button>
        ) : null
      }
    >
      <p role="status" className={styles.soft}>
        {isTaking ? text.photoComes : null}
      </p>
      {newest ? (
        <>
          {isPending(newest) ? (
            <p className={styles.soft}>{text.processing}</p>
          ) : (
            <img
              className={styles.photo}
              src={photoAddress(newest)}
              alt={text.newestPhoto(formatTime(newest.created_at))}
              loading="lazy"
            />
          )}
          <p className={styles.soft}>{formatTime(newest.created_at)}</p>
        </>
      ) : (
        <p className={styles.soft}>{text.noPhotos}</p>
      )}
    </Card>
  );
}

/** Starts and stops the virtual robot of the server. */
function VirtualRobotCard() {
  const text = robotText();
  const mayWrite = useMayWrite();
  const { running, connected, ended_because } = useSuspenseQuery(virtualRobotQuery).data;
  const isRealConnected = useIsConnected() && !running;
  const [isPending, setPending] = useState(false);
  const change = async (): Promise<void> => {
    setPending(true);
    await switchVirtualRobot(!running).catch(showProblem);
    setPending(false);
  };
  return (
    <Card title={text.virtual}>
      <p>{text.virtualHint}</p>
      <p role="status">
        {running
          ? connected
            ? text.virtualRuns
            : text.virtualStarting
          : ended_because
            ? text.virtualEnded(ended_because)
            : null}
      </p>
      {mayWrite ? (
        <Actions>
          <Button isDisabled={isPending || isRealConnected} onPress={() => void change()}>
            {running ? text.stop : text.start}
          </Button>
        </Actions>
      ) : null}
    </Card>
  );
}

type Sequence = RecordOf<'sequences'>;

/** The pinned programs as buttons, which ask for parameters if there are some. */
function ProgramsCard() {
  const text = robotText();
  const isControllable = useIsControllable();
  const pinned = useRecords('sequences').filter((sequence) => sequence.pinned);
  const [asked, setAsked] = useState<Sequence | null>(null);
  const run = ({ id, name }: Sequence, parameters: ParameterValues = {}): void => {
    void runCommand(text.runSentence(name), { sequence_id: id, parameters });
  };
  return (
    <Card title={text.programs}>
      {pinned.length === 0 ? (
        <p className={styles.soft}>
          {text.noPrograms} <Link to="/programs">{text.toPrograms}</Link>
        </p>
      ) : null}
      <ul className={styles.list}>
        {pinned.map((sequence) => {
          const hasParameters = parametersOf(sequence).length > 0;
          return (
            <li key={sequence.id} className={styles.row}>
              <span>{sequence.name}</span>
              <Button
                aria-label={text.runSentence(sequence.name)}
                isDisabled={!isControllable}
                onPress={() => (hasParameters ? setAsked(sequence) : run(sequence))}
              >
                {hasParameters ? `${text.run}…` : text.run}
              </Button>
            </li>
          );
        })}
      </ul>
      <Dialog title={asked ? text.parameters(asked.name) : ''} isOpen={asked !== null} onClose={() => setAsked(null)}>
        {asked ? (
          <ParametersForm
            key={asked.id}
            parameters={parametersOf(asked)}
            onRun={(parameters) => {
              setAsked(null);
              run(asked, parameters);
            }}
          />
        ) : null}
      </Dialog>
    </Card>
  );
}

type ParameterValues = NonNullable<Extract<RobotProgram, { sequence_id: number }>['parameters']>;

function ParametersForm({
  parameters,
  onRun,
}: {
  readonly parameters: readonly Parameter[];
  readonly onRun: (values: ParameterValues) => void;
}) {
  const [values, setValues] = useState<GivenValues>({});
  const submission = useSubmission(parameterValues(parameters, values));
  const run = () =>
    submission.run(async () => {
      requireValues(parameters, values);
      // The others have the value of the program.
      const given = Object.entries(values).flatMap(([label, value]) => (value === null ? [] : [[label, value]]));
      onRun(Object.fromEntries(given));
    });
  return (
    <Form onSubmit={run} submit={robotText().run} submission={submission} fields={parameters.map(problemKey)}>
      <ParameterFields parameters={parameters} values={values} onChange={setValues} problems={submission.problems} />
    </Form>
  );
}
