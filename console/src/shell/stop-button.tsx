import { OctagonX } from 'lucide-react';
import { api } from '../data/api.ts';
import { useRobot } from '../data/robot.ts';
import { useMayWrite } from '../data/singles.ts';
import { Button } from '../ui/button.tsx';
import { showProblem, showToast } from '../ui/toasts.tsx';
import styles from './frame.module.css';
import { shellText } from './text.ts';

async function stopRobot(): Promise<void> {
  try {
    await api.POST('/api/robot/emergency_stop');
    showToast({ text: shellText().stopSent });
  } catch (error) {
    showProblem(error);
  }
}

const unlockRobot = (): Promise<unknown> => api.POST('/api/robot/unlock').catch(showProblem);

/** The emergency stop; while the robot is locked, also the button that unlocks it. Viewers cannot stop. */
export function StopButton() {
  const robot = useRobot();
  const text = shellText();
  if (!useMayWrite()) return <span className={styles.state}>{text.viewer}</span>;
  return (
    <>
      {robot?.connected && robot.status?.locked ? (
        <Button onPress={() => void unlockRobot()}>{text.unlock}</Button>
      ) : null}
      <div className={styles.stop}>
        <Button tone="danger" icon={<OctagonX />} aria-label={text.stopNow} onPress={() => void stopRobot()}>
          {text.stop}
        </Button>
      </div>
    </>
  );
}
