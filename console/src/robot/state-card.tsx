import { memo, Suspense } from 'react';
import { useRecords } from '../data/collections.ts';
import { commandSentence, useCommands } from '../data/commands.ts';
import { FirstRobot, useHasNoRobot } from '../data/first-robot.tsx';
import { useFormatTime } from '../data/garden-time.ts';
import { useLiveState } from '../data/live.ts';
import { NextRuns } from '../data/next-runs.tsx';
import { type Robot, useIsRobotCurrent, useRobot } from '../data/robot.ts';
import { useMayWrite } from '../data/singles.ts';
import { dataText } from '../data/text.ts';
import { Actions } from '../ui/actions.tsx';
import { type Fact, Facts } from '../ui/facts.tsx';
import { measured } from '../ui/numbers.ts';
import { Card, Notice } from '../ui/page.tsx';
import { uiText } from '../ui/text.ts';
import { axes } from './control.ts';
import styles from './robot.module.css';
import { robotText } from './text.ts';

function sentenceOf(
  { connected, status }: Robot,
  isOffline: boolean,
  hasNoRobot: boolean,
  running: string | undefined,
  formatTime: ReturnType<typeof useFormatTime>,
): string {
  const text = robotText();
  if (isOffline && status) return text.lastReported(formatTime(status.received_at));
  if (!status) return connected ? text.ready : hasNoRobot ? dataText().noRobot : text.notConnected;
  if (!connected) return text.away(formatTime(status.received_at));
  if (status.locked) return text.locked;
  if (!status.busy) return text.ready;
  return running === undefined ? text.busy : text.busyWith(running);
}

/** The running work of the robot: its stored programs, if it reports them, else the command of this page. */
function useRunning({ status }: Partial<Robot>): string | undefined {
  const text = robotText();
  const programs = useRecords('sequences');
  const command = useCommands().find(({ result }) => result === null)?.name;
  const program = status?.running?.at(-1);
  if (!program) return command;
  const name = programs.find(({ id }) => id === program.sequence_id)?.name ?? command;
  return name === undefined ? undefined : text.stepOf(name, program.step, program.steps);
}

/** Whether the robot is still at work. The names of states are free text. */
const isUnfinished = ({ status, percent }: NonNullable<Robot['status']>['jobs'][string]): boolean =>
  (percent ?? 0) < 100 && !/^(complete|error|fail)/i.test(status ?? '');

/** The next run of the schedule. Does not render again with each report of the robot. */
const ComingRuns = memo(function ComingRuns() {
  return (
    <NextRuns
      nameOf={({ regimen_name, sequence_name }) =>
        regimen_name === null ? sequence_name : uiText().pair(regimen_name, sequence_name)
      }
    />
  );
});

/** The activity, next runs and position of the robot. */
export function StateCard() {
  const text = robotText();
  const formatTime = useFormatTime();
  const robot = useRobot();
  const hasNoRobot = useHasNoRobot();
  const live = useLiveState();
  const isCurrent = useIsRobotCurrent();
  const last = useCommands().at(-1);
  const running = useRunning(robot ?? {});
  const mayWrite = useMayWrite();
  if (!robot) return null;
  const { status } = robot;
  return (
    <Card title={text.state}>
      <p className={styles.sentence} role="status">
        {sentenceOf(robot, live === 'offline', hasNoRobot, running, formatTime)}
      </p>
      {mayWrite && hasNoRobot ? (
        <Actions>
          <FirstRobot />
        </Actions>
      ) : null}
      <Suspense>
        <ComingRuns />
      </Suspense>
      {live === 'offline' ? <Notice tone="warn">{text.stale}</Notice> : null}
      {status ? (
        <section aria-label={isCurrent ? text.position : text.lastPosition}>
          {isCurrent ? null : <p className={styles.soft}>{text.lastPosition}</p>}
          <dl className={styles.position} data-old={!isCurrent || undefined}>
            {axes.map((axis) => (
              <div key={axis}>
                <dt>{axis.toUpperCase()} (mm)</dt>
                <dd>{status.position[axis] == null ? '–' : measured(status.position[axis])}</dd>
              </div>
            ))}
          </dl>
        </section>
      ) : null}
      <p className={styles.soft} role="status">
        {last ? commandSentence(last) : null}
      </p>
      {isCurrent && status
        ? Object.entries(status.jobs)
            .filter(([, job]) => isUnfinished(job))
            .map(([name, job]) => (
              <p key={name} className={styles.soft}>
                {text.job(name, job.status ?? '', job.percent)}
              </p>
            ))
        : null}
      {status?.update_available ? <Notice>{text.update}</Notice> : null}
    </Card>
  );
}

/** What the robot runs, and when it reported last. */
export function SoftwareCard() {
  const text = robotText();
  const formatTime = useFormatTime();
  const robot = useRobot();
  if (!robot) return null;
  const { status } = robot;
  const sync = status?.sync_status;
  const facts: readonly Fact[] = [
    [text.connectedSince, robot.connected && robot.connected_since ? formatTime(robot.connected_since) : null],
    [text.lastReport, status && formatTime(status.received_at, { timeStyle: 'medium' })],
    [text.software, status?.controller_version],
    [text.firmware, status?.firmware_version],
    [text.computer, status?.target],
    [text.sync, sync && (sync === 'synced' ? text.synced : sync === 'syncing' ? text.syncing : text.notSynced(sync))],
  ];
  if (facts.every(([, value]) => !value)) return null;
  return (
    <Card title={text.softwareTitle}>
      <Facts of={facts} />
    </Card>
  );
}
