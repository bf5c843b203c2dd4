import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { showProblem } from '../ui/toasts.tsx';
import { useRobotPart } from './robot.ts';
import { useDevice } from './singles.ts';
import { dataText } from './text.ts';
import { switchVirtualRobot, virtualRobotQuery } from './virtual-robot.ts';

/** Returns whether no robot was ever connected. The server knows reports of robots until it restarts, their versions for good. */
export function useHasNoRobot(): boolean {
  const isUnknown = useRobotPart(({ connected, status }) => !connected && status === null);
  const { fbos_version } = useDevice();
  return isUnknown === true && fbos_version === null;
}

/**
 * Returns whether the server's virtual robot ended by itself, as after a new password, and no robot was connected since.
 */
export function useHasEndedRobot(): boolean {
  const away = useRobotPart(({ connected, status }) =>
    connected ? null : { lastReport: status?.received_at ?? null },
  );
  const { data } = useQuery({ ...virtualRobotQuery, enabled: away != null });
  if (!away || !data?.ended_because || !data.ended_at || data.running) return false;
  return away.lastReport === null || Date.parse(away.lastReport) <= Date.parse(data.ended_at);
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
