import { useMayWrite } from '../data/singles.ts';
import { Part } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';
import { CameraCard } from './camera-card.tsx';
import { HealthCard } from './health-card.tsx';
import { MoveCard } from './move-card.tsx';
import { PeripheralsCard } from './peripherals-card.tsx';
import { PinsCard } from './pins-card.tsx';
import { PowerCard } from './power-card.tsx';
import { ProgramsCard } from './programs-card.tsx';
import styles from './robot.module.css';
import { StateCard } from './state-card.tsx';
import { robotText } from './text.ts';
import { ToolsCard } from './tools-card.tsx';
import { VirtualRobotCard } from './virtual-robot-card.tsx';

/** The cards in their order. Viewers get only cards with content. */
const cards = [
  { id: 'state', OneCard: StateCard, isForViewers: true },
  { id: 'move', OneCard: MoveCard },
  { id: 'programs', OneCard: ProgramsCard },
  { id: 'peripherals', OneCard: PeripheralsCard },
  { id: 'tools', OneCard: ToolsCard },
  { id: 'camera', OneCard: CameraCard, isForViewers: true },
  { id: 'health', OneCard: HealthCard, isForViewers: true },
  { id: 'pins', OneCard: PinsCard },
  { id: 'power', OneCard: PowerCard },
  { id: 'virtual', OneCard: VirtualRobotCard, isForViewers: true },
];

/** The state of the robot, and all commands to it. Viewers see the state only. */
export function RobotPage() {
  const text = robotText();
  const mayWrite = useMayWrite();
  return (
    <Page title={text.title} width="full">
      <div className={styles.cards}>
        {cards.map(({ id, OneCard, isForViewers }) =>
          mayWrite || isForViewers ? (
            // Each is shown as soon as its data are loaded.
            <Part key={id}>
              <OneCard />
            </Part>
          ) : null,
        )}
      </div>
    </Page>
  );
}
