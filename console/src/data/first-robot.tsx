import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { showProblem } from '../ui/toasts.tsx';
import { useRobot } from './robot.ts';
import { useDevice } from './singles.ts';
import { dataText } from './text.ts';
import { switchVirtualRobot, virtualRobotQuery } from './virtual-robot.ts';

/** Returns whether no robot was ever connected. What a robot reported is known until the server is restarted, its version for good. */
export function useHasNoRobot(): boolean {
  const robot = useRobot();
  const { fbos_version } = useDevice();
  return robot !== undefined && !robot.connected && robot.status === null && fbos_version === null;
}

/**
 * Returns whether the server's virtual robot ended by itself, as after a new password, and no robot was connected since.
 */
export function useHasEndedRobot(): boolean {
  const robot = useRobot();
  const isAway = robot?.connected === false;
  const { data } = useQuery({ ...virtualRobotQuery, enabled: isAway });
  if (!isAway || !data?.ended_because || !data.ended_at || data.running) return false;
  return robot.status === null || Date.parse(robot.status.received_at) <= Date.parse(data.ended_at);
}

/** Starts the server's virtual robot. For users who may write. */
export function StartVirtualRobot({ label }: { readonly label: string }) {
  const [isPending, setPending] = useState(false);
  const start = async (): Promise<void> => {
    setPending(true);
    await switchVirtualRobot(true).catch(showProblem);
    setPending(false);
  };
  return (
    <Button onPress={() => void start()} isDisabled={isPending}>
      {label}
    </Button>
  );
}

/** Buttons to set up a first robot: a real one, or the server's virtual one. For users who may write. */
export function FirstRobot() {
  const text = dataText();
  return (
    <>
      <Link to="/set-up" search={{ way: 'connect' }}>
        {text.connectRobot}
      </Link>
      <StartVirtualRobot label={text.tryVirtualRobot} />
    </>
  );
}
