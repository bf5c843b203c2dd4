import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { showProblem } from '../ui/toasts.tsx';
import { useRobot } from './robot.ts';
import { useDevice } from './singles.ts';
import { dataText } from './text.ts';
import { switchVirtualRobot } from './virtual-robot.ts';

/** Returns whether no robot was ever connected. What a robot reported is known until the server is restarted, its version for good. */
export function useHasNoRobot(): boolean {
  const robot = useRobot();
  const { fbos_version } = useDevice();
  return robot !== undefined && !robot.connected && robot.status === null && fbos_version === null;
}

/** Buttons to set up a first robot: a real one, or the server's virtual one. For users who may write. */
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
