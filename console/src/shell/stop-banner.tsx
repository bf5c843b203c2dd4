import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dismissStop, type StopState, stopRobot, unlockRobot, useStop } from '../data/emergency-stop.ts';
import { useRobotPart } from '../data/robot.ts';
import { singleQueries } from '../data/singles.ts';
import { knownRole } from '../data/stop-socket.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Confirmation } from '../ui/dialog.tsx';
import { X } from '../ui/icons.tsx';
import styles from './stop.module.css';
import { stopText } from './stop-text.ts';

const isSerious: ReadonlySet<StopState['kind']> = new Set([
  'unconfirmed',
  'unanswered',
  'offline',
  'failed',
  'unlockFailed',
]);

/** The state of the emergency stop, below the header, with a button to unlock the robot. Never suspends. */
export function StopBanner() {
  const text = stopText();
  const { kind, explanation } = useStop();
  const isLocked = useRobotPart(({ connected, status }) => connected && status?.locked === true) === true;
  const word = kind !== 'none' ? text[kind] : isLocked ? text.locked : null;
  const mayUnlock = knownRole() !== 'viewer' && (kind === 'confirmed' || (isLocked && kind !== 'sending'));
  return (
    // Always mounted, so that screen readers announce its content immediately.
    <div role="alert" className={styles.banner} data-serious={isSerious.has(kind) || undefined} hidden={word === null}>
      {word === null ? null : (
        <>
          <p>
            {word} {explanation}
          </p>
          {kind === 'failed' || kind === 'unconfirmed' || kind === 'unanswered' ? (
            <Button tone="danger" onPress={stopRobot}>
              {text.again}
            </Button>
          ) : null}
          {mayUnlock ? <UnlockButton isPending={kind === 'unlocking'} /> : null}
          {isLocked || kind === 'sending' || kind === 'unlocking' ? null : (
            <IconButton label={text.dismiss} icon={<X />} onPress={dismissStop} />
          )}
        </>
      )}
    </div>
  );
}

/** Asks for confirmation, unless the garden's settings disable that. */
function UnlockButton({ isPending }: { readonly isPending: boolean }) {
  const text = stopText();
  const [isAsking, setAsking] = useState(false);
  const config = useQuery(singleQueries.webAppConfig).data;
  return (
    <>
      <Button
        isDisabled={isPending}
        onPress={() => (config?.disable_emergency_unlock_confirmation ? void unlockRobot() : setAsking(true))}
      >
        {text.unlock}
      </Button>
      <Confirmation
        title={text.unlockTitle}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirm={text.unlock}
        onConfirm={() => void unlockRobot()}
      >
        {text.unlockWarning}
      </Confirmation>
    </>
  );
}
