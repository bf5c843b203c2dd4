import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf } from './api.ts';
import { queryClient } from './query-client.ts';

/** How often the server is asked, in ms. */
const pollTime = 15_000;

/** The robot that the server plays, and whether it does. */
export const virtualRobotQuery = queryOptions({
  queryKey: ['virtual robot'],
  queryFn: () => bodyOf(api.GET('/api/virtual_robot')),
  refetchInterval: pollTime,
});

/** Starts or stops the robot that the server plays. Throws an ApiError. */
export async function switchVirtualRobot(running: boolean): Promise<void> {
  const state = await bodyOf(api.PUT('/api/virtual_robot', { body: { running } }));
  queryClient.setQueryData(virtualRobotQuery.queryKey, state);
  await queryClient.invalidateQueries({ queryKey: ['robot'] });
}
