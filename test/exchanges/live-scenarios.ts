import { recordings, scenariosOf } from './scenario.ts';

/** The scenarios whose announcements were recorded. */
export const liveScenarios = recordings.flatMap((file) =>
  scenariosOf(file).flatMap((scenario) => (scenario.live ? [{ file, scenario }] : [])),
);
