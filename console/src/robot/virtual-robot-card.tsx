import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { queryClient } from '../data/query-client.ts';
import { useRobot } from '../data/robot.ts';
import { useMayWrite } from '../data/singles.ts';
import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/page.tsx';
import { showProblem } from '../ui/toasts.tsx';
import { robotText } from './text.ts';

/** How often the server is asked, in ms. */
const pollTime = 15_000;

const virtualRobot = queryOptions({
  queryKey: ['virtual robot'],
  queryFn: () => bodyOf(api.GET('/api/virtual_robot')),
  refetchInterval: pollTime,
});

/** Starts and stops the robot that the server plays. */
export function VirtualRobotCard() {
  const text = robotText();
  const mayWrite = useMayWrite();
  const { running, connected, ended_because } = useSuspenseQuery(virtualRobot).data;
  const isRealConnected = useRobot()?.connected === true && !running;
  const [isPending, setPending] = useState(false);
  const change = async (): Promise<void> => {
    setPending(true);
    try {
      queryClient.setQueryData(
        virtualRobot.queryKey,
        await bodyOf(api.PUT('/api/virtual_robot', { body: { running: !running } })),
      );
      await queryClient.invalidateQueries({ queryKey: ['robot'] });
    } catch (error) {
      showProblem(error);
    }
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
