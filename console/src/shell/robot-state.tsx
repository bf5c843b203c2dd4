import { Link } from '@tanstack/react-router';
import { useLiveState } from '../data/live.ts';
import { useRobotPart } from '../data/robot.ts';
import { CircleDot, Lock, Unplug } from '../ui/icons.tsx';
import { uiText } from '../ui/text.ts';
import styles from './frame.module.css';
import { shellText } from './text.ts';

/** Says whether the page and the robot are connected; the state of the robot leads to its page. */
export function RobotState() {
  const live = useLiveState();
  const robot = useRobotPart(({ connected, status }) => ({
    connected,
    isKnown: status !== null,
    isLocked: status?.locked === true,
    isBusy: status?.busy === true,
  }));
  const text = shellText();
  if (live !== 'live')
    return (
      <span role="status" className={styles.stateBox}>
        <span className={`${styles.state} ${live === 'offline' ? styles.stateWarn : ''}`}>
          <Unplug size={16} aria-hidden="true" />
          {live === 'offline' ? text.offline : text.connecting}
        </span>
      </span>
    );
  if (!robot) return null;
  const { connected, isKnown, isLocked, isBusy } = robot;
  const [word, look, Icon] = !connected
    ? [isKnown ? text.robotAway : text.robotUnknown, '', Unplug]
    : isLocked
      ? [text.robotLocked, styles.stateDanger, Lock]
      : [isBusy ? text.robotBusy : text.robotReady, styles.stateGood, CircleDot];
  return (
    <span role="status" className={styles.stateBox}>
      <Link
        to="/robot"
        className={`${styles.state} ${look}`}
        // The words for a robot that is away name it.
        aria-label={connected ? uiText().pair(text.robot, word) : undefined}
      >
        <Icon size={16} aria-hidden="true" />
        {word}
      </Link>
    </span>
  );
}
