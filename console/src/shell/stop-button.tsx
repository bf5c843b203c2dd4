import { stopRobot } from '../data/emergency-stop.ts';
import { Button } from '../ui/button.tsx';
import { OctagonX } from '../ui/icons.tsx';
import { addShortcuts, keyNames } from '../ui/shortcuts.ts';
import styles from './stop.module.css';
import { stopText } from './stop-text.ts';

/** The key of the emergency stop: browsers and screen readers leave it free, and it types nothing. */
const stopKey = 'F8';

/** Makes the key of the emergency stop work on all pages. Call it once. */
export function startStopKey(): void {
  addShortcuts({
    title: () => stopText().everywhere,
    shortcuts: [{ keys: stopKey, label: () => stopText().stopNow, run: stopRobot, worksInFields: true }],
  });
}

/** The emergency stop. It waits for no data, so that it works while other requests hang, and stays above dialogs. */
export function StopButton() {
  const text = stopText();
  return (
    <div className={styles.stop} data-react-aria-top-layer="true">
      <Button
        tone="danger"
        data-heir
        icon={<OctagonX />}
        aria-label={text.stopNow}
        tooltip={text.stopHint(keyNames(stopKey))}
        onPress={stopRobot}
      >
        {text.stop}
      </Button>
    </div>
  );
}
