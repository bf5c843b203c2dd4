import { Link } from '@tanstack/react-router';
import { isSoilHeight } from '../../../src/core/soil-height.ts';
import { useRecords } from '../data/collections.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { useIsConnected, useRobotPart } from '../data/robot.ts';
import { SchemaField } from '../data/schema-fields.tsx';
import { useFields } from '../data/schemas.ts';
import { changeFields } from '../data/setting-parts.ts';
import { useMayWrite, useOsConfig } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Part } from '../ui/failure.tsx';
import { Card, EmptyState, Notice, Page } from '../ui/page.tsx';
import { showProblem } from '../ui/toasts.tsx';
import { AxesCard } from './axes-card.tsx';
import { CameraCalibrationCard } from './camera-calibration-card.tsx';
import styles from './robot.module.css';
import { setupText } from './setup-text.ts';
import { Task } from './task.tsx';

/** The steps in their order. */
const cards = [SoftwareCard, BoardCard, AxesCard, SoilCard, CameraCalibrationCard, ResetCard];

/** Sets a robot up, from its software to its camera; each step shows what the robot answers. */
export function SetupPage() {
  const text = setupText();
  const isConnected = useIsConnected();
  if (!useMayWrite())
    return (
      <Page title={text.title}>
        <EmptyState title={text.viewer} action={<Link to="/robot">{text.toRobot}</Link>} />
      </Page>
    );
  return (
    <Page title={text.title} actions={<Link to="/robot">{text.toRobot}</Link>}>
      {isConnected ? null : <Notice tone="warn">{text.offline}</Notice>}
      {cards.map((OneCard) => (
        // Each is shown as soon as its data are loaded.
        <Part key={OneCard.name}>
          <OneCard />
        </Part>
      ))}
    </Page>
  );
}

function SoftwareCard() {
  const text = setupText();
  const versions = useRobotPart(({ status }) => status && [status.controller_version, status.target]);
  const version = versions?.filter(Boolean).join(', ');
  return (
    <Card title={text.software}>
      <p>{version ? text.version(version) : text.noVersion}</p>
      <p className={styles.soft}>{text.updateHint}</p>
      <Task
        actions={[{ word: text.checkUpdates, program: { kind: 'check_updates', args: { package: 'farmbot_os' } } }]}
      />
    </Card>
  );
}

/** The motor controller: which one it is, and its firmware. */
function BoardCard() {
  const text = setupText();
  const { firmware_hardware } = useOsConfig();
  const field = useFields('FbosConfigUpdate').find(({ name }) => name === 'firmware_hardware');
  const version = useRobotPart(({ status }) => status?.firmware_version);
  return (
    <Card title={text.board}>
      {version ? <p>{text.version(version)}</p> : null}
      {field ? (
        <SchemaField
          field={field}
          value={firmware_hardware}
          onChange={(value) =>
            void undoable(text.boardChosen, (label) => changeFields('os', { firmware_hardware: value }, label)).catch(
              showProblem,
            )
          }
        />
      ) : null}
      <p className={styles.soft}>{text.flashHint}</p>
      <Task
        actions={[
          {
            word: text.flash,
            program: { kind: 'flash_firmware', args: { package: 'arduino_firmware' } },
            warning: { title: text.flashTitle, hint: text.flashWarning },
            isDisabled: !firmware_hardware,
          },
        ]}
      />
    </Card>
  );
}

function SoilCard() {
  const text = setupText();
  const formatTime = useFormatTime();
  const [newest] = useRecords('points')
    .filter(isSoilHeight)
    .sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  return (
    <Card title={text.soil}>
      <p>{newest ? text.newestHeight({ ...newest, when: formatTime(newest.updated_at) }) : text.noHeights}</p>
      <p className={styles.soft}>{text.soilHint}</p>
      <Task
        actions={[
          { word: text.measureSoil, program: { kind: 'execute_script', args: { label: 'Measure Soil Height' } } },
        ]}
      />
    </Card>
  );
}

function ResetCard() {
  const text = setupText();
  const reset = (name: 'farmbot_os' | 'arduino_firmware') =>
    ({ kind: 'factory_reset', args: { package: name } }) as const;
  return (
    <Card title={text.reset}>
      <p className={styles.soft}>{text.resetHint}</p>
      <Task
        actions={[
          {
            word: text.softReset,
            program: reset('farmbot_os'),
            warning: { title: text.softResetTitle, hint: text.softResetWarning },
          },
          {
            word: text.resetBoard,
            program: reset('arduino_firmware'),
            warning: { title: text.resetBoardTitle, hint: text.resetBoardWarning },
          },
        ]}
      />
    </Card>
  );
}
