import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf } from './api.ts';
import { queryClient } from './query-client.ts';

/** Interval between requests, in ms. */
const pollTime = 15_000;

/** The state of the server's virtual robot. */
export const virtualRobotQuery = queryOptions({
  queryKey: ['virtual robot'],
  queryFn: () => bodyOf(api.GET('/api/virtual_robot')),
  refetchInterval: pollTime,
});

/** Starts or stops the server's virtual robot. Throws an ApiError. */
export async function switchVirtualRobot(running: boolean): Promise<void> {
  const state = await bodyOf(api.PUT('/api/virtual_robot', { body: { running } }));
  queryClient.setQueryData(virtualRobotQuery.queryKey, state);
  await queryClient.invalidateQueries({ queryKey: ['robot'] });
}
