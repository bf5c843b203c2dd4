import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { showProblem } from '../ui/toasts.tsx';
import { useRobot } from './robot.ts';
import { useDevice } from './singles.ts';
import { dataText } from './text.ts';
import { switchVirtualRobot } from './virtual-robot.ts';

/** Returns whether a garden is without a robot: none was ever connected. What a robot reported is known until the server is restarted, its version for good. */
export function useHasNoRobot(): boolean {
  const robot = useRobot();
  const { fbos_version } = useDevice();
  return robot !== undefined && !robot.connected && robot.status === null && fbos_version === null;
}

/** The ways to a first robot: one of one's own, or the one that the server plays. For those who may write. */
export function FirstRobot() {
  const text = dataText();
  const [isPending, setPending] = useState(false);
  const start = async (): Promise<void> => {
    setPending(true);
    await switchVirtualRobot(true).catch(showProblem);
    setPending(false);
  };
  return (
    <>
      <Link to="/set-up" search={{ way: 'connect' }}>
        {text.connectRobot}
      </Link>
      <Button onPress={() => void start()} isDisabled={isPending}>
        {text.tryVirtualRobot}
      </Button>
    </>
  );
}
