import { queryOptions, useQuery } from '@tanstack/react-query';
import { robotStatusOf } from '../../../src/live/robots/status-message.ts';
import { api, bodyOf } from './api.ts';
import type { components } from './generated/api.ts';
import { onRobotMessage, useLiveState } from './live.ts';
import { queryClient } from './query-client.ts';

export type Robot = components['schemas']['Robot'];

/** How often the server is asked whether the robot is connected, in ms: the stream has its status, but not its disconnection. */
const pollTime = 15_000;

const robotQuery = queryOptions({
  queryKey: ['robot'],
  queryFn: () => bodyOf(api.GET('/api/robot')),
  refetchInterval: pollTime,
});

onRobotMessage('status', (message) => {
  // The responses in progress are older.
  void queryClient.cancelQueries({ queryKey: robotQuery.queryKey });
  queryClient.setQueryData<Robot>(robotQuery.queryKey, (robot) => ({
    connected_since: robot?.connected_since ?? new Date().toISOString(),
    connected: true,
    status: { ...robotStatusOf(message), received_at: new Date().toISOString() },
  }));
});

/** Returns the last known state of the robot, which changes several times a second while it moves; undefined until it is loaded. */
export const useRobot = (): Robot | undefined => useQuery(robotQuery).data;

/** Returns a part of the robot's last known state; undefined until it is loaded. The component renders again only when that part changes. */
export const useRobotPart = <T>(select: (robot: Robot) => T): T | undefined => useQuery({ ...robotQuery, select }).data;

/** Returns the position of the robot in a stored program that it runs now; null while it does not run it. Only virtual robots report it. */
export function useRunningStep(sequenceId: number): { readonly step: number; readonly steps: number } | null {
  const isLive = useLiveState() === 'live';
  const running = useRobotPart(
    ({ connected, status }) =>
      connected && status?.running?.filter(({ sequence_id }) => sequence_id === sequenceId).at(-1),
  );
  return (isLive && running) || null;
}

/** Whether the robot is connected to the server, as far as this page knows. */
export const useIsConnected = (): boolean => useRobotPart(({ connected }) => connected) === true;

/** Whether the robot's position is the present one: both the robot and this page are connected. */
export function useIsRobotCurrent(): boolean {
  const isConnected = useIsConnected();
  return useLiveState() === 'live' && isConnected;
}
