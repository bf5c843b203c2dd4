import { FirstRobot, StartVirtualRobot, useHasEndedRobot, useHasNoRobot } from '../data/first-robot.tsx';
import { dataText } from '../data/text.ts';
import { IconButton } from '../ui/button.tsx';
import { useDraft } from '../ui/draft.ts';
import { X } from '../ui/icons.tsx';
import styles from './map.module.css';
import { mapText } from './text.ts';

/** Leads to a first robot, or to the virtual one that ended by itself, above the map of a garden without a robot; until it is closed in this tab. */
export function NoRobot() {
  const hasNoRobot = useHasNoRobot();
  const hasEnded = useHasEndedRobot();
  const text = dataText();
  const [isClosed, setClosed] = useDraft('no robot', false);
  if (isClosed || !(hasNoRobot || hasEnded)) return null;
  return (
    <div className={styles.status}>
      <span>{hasEnded ? text.virtualRobotEnded : text.noRobot}</span>
      {hasEnded ? <StartVirtualRobot label={text.startAgain} /> : <FirstRobot />}
      <IconButton label={mapText().closePanel} icon={<X />} onPress={() => setClosed(true)} />
    </div>
  );
}
