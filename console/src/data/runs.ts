import { useQuery } from '@tanstack/react-query';
import { useIsPageShown } from '../ui/page-shown.ts';
import { showProblem } from '../ui/toasts.tsx';
import { api, bodyOf } from './api.ts';
import { listQuery, patchList, type RecordOf, withRecord } from './collections.ts';
import type { components } from './generated/api.ts';

export type Run = RecordOf<'runs'>;
export type RunStep = components['schemas']['RunInput']['steps'][number];

/** Returns the last run of the garden over several places; undefined if there was none, and until it is loaded. Neither suspends nor throws. */
export const useRun = (): Run | undefined => useQuery({ ...listQuery('runs'), enabled: useIsPageShown() }).data?.at(-1);

/** Whether the robot still goes from place to place. */
export const isActive = ({ state }: Run): boolean => state === 'running' || state === 'stopping';

/** Shows a run as a response has it: the stream may be slower. */
async function show(response: Promise<Run>): Promise<void> {
  const run = await response;
  patchList('runs', (runs) => withRecord(runs, run));
}

/** Has the server lead the robot from place to place. Throws an ApiError. */
export const startRun = (name: string, steps: RunStep[]): Promise<void> =>
  show(bodyOf(api.POST('/api/runs', { body: { name, steps } })));

/** Ends a run after its current place, or for good if it was interrupted. Shows an error. */
export const stopRun = ({ id }: Run): Promise<void> =>
  show(bodyOf(api.POST('/api/runs/{id}/stop', { params: { path: { id } } }))).catch(showProblem);

/** Has an interrupted run go on. Shows an error. */
export const resumeRun = ({ id }: Run, skip: boolean): Promise<void> =>
  show(bodyOf(api.POST('/api/runs/{id}/resume', { params: { path: { id } }, body: { skip } }))).catch(showProblem);
