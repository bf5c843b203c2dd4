import { leftOut } from './left-out.ts';
import { recordings, scenariosOf } from './scenario.ts';

const isLeftOut = (file: string, name: string): boolean =>
  leftOut.some((entry) => entry.file === file && entry.name === name);

/** The scenarios whose announcements were recorded, but for those left out. */
export const liveScenarios = recordings.flatMap((file) =>
  scenariosOf(file).flatMap((scenario) =>
    scenario.live && !isLeftOut(file, scenario.name) ? [{ file, scenario }] : [],
  ),
);
