import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useIsConnected } from '../data/robot.ts';
import { useMayWrite } from '../data/singles.ts';
import { switchVirtualRobot, virtualRobotQuery } from '../data/virtual-robot.ts';
import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/page.tsx';
import { showProblem } from '../ui/toasts.tsx';
import { robotText } from './text.ts';

/** Starts and stops the virtual robot of the server. */
export function VirtualRobotCard() {
  const text = robotText();
  const mayWrite = useMayWrite();
  const { running, connected, ended_because } = useSuspenseQuery(virtualRobotQuery).data;
  const isRealConnected = useIsConnected() && !running;
  const [isPending, setPending] = useState(false);
  const change = async (): Promise<void> => {
    setPending(true);
    await switchVirtualRobot(!running).catch(showProblem);
    setPending(false);
  };
  return (
    <Card title={text.virtual}>
      <p>{text.virtualHint}</p>
      <p role="status">
        {running
          ? connected
            ? text.virtualRuns
            : text.virtualStarting
          : ended_because
            ? text.virtualEnded(ended_because)
            : null}
      </p>
      {mayWrite ? (
        <Actions>
          <Button isDisabled={isPending || isRealConnected} onPress={() => void change()}>
            {running ? text.stop : text.start}
          </Button>
        </Actions>
      ) : null}
    </Card>
  );
}
