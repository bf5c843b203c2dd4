import { timestamp } from '../core/clock.ts';
import { ZoneOffsets } from '../core/local-day.ts';
import type { Message } from '../core/message.ts';
import type { DeviceScope } from '../db/scope.ts';
import { fbosConfig } from '../device/fbos-config.ts';
import type { LogType } from '../device/logs.ts';
import { logs } from '../device/logs.ts';
import type { Body } from '../engine/body.ts';
import { announceChanged, updateRecord } from '../engine/records.ts';
import { loadSingleton } from '../engine/singleton.ts';
import { pointGroups } from '../garden/point-groups.ts';
import { createFarmEvent } from '../programs/farm-event-changes.ts';
import { farmEvents } from '../programs/farm-events.ts';
import { createRegimen } from '../programs/regimen-changes.ts';
import { regimens } from '../programs/regimens.ts';
import { sayOfRobot } from '../robot/log-messages.ts';
import { runs } from '../runs/run-records.ts';
import type { DemoPast, DemoPlant } from './demo-past.ts';
import { day, madeAt, scheduledDays } from './demo-past.ts';
import type { GardenSeeder } from './garden-seeder.ts';
import { measureMoisture, soilSensor } from './programs/measuring.ts';
import { recordValueNode } from './programs/nodes.ts';
import { photoGrid, takePhotoOfPlant } from './programs/photos.ts';
import { waterAll, waterPlant } from './programs/watering.ts';
import { idIn } from './robot-seeds.ts';

const minute = 60_000;
const hour = 60 * minute;

/** A program that the robot of a garden with a past runs by its schedule. */
interface Routine {
  /** The English name. */
  readonly program: string;
  /** When it runs: days before today, and the hour of the day. */
  readonly last: { readonly daysAgo: number; readonly hour: number };
  /** Hours between two runs. */
  readonly every: number;
  /** Minutes of a run. */
  readonly length: number;
  /** The English name of the group at whose points it runs. */
  readonly group?: string;
}

/** The crop whose plants have their moisture measured, and one of which is photographed as it grows. */
export const watchedCrop = 'broccoli';
const watchedGroup = 'Broccoli plants';

export const watering: Routine = { program: waterAll.name, last: { daysAgo: 0, hour: 7 }, every: 48, length: 4 };
export const measuring: Routine = {
  program: measureMoisture.name,
  last: { daysAgo: 0, hour: 12 },
  every: 24,
  length: 1,
  group: watchedGroup,
};
export const photographing: Routine = {
  program: photoGrid.name,
  last: { daysAgo: 1, hour: 10 },
  every: 7 * 24,
  length: 5,
};

/** The run of a routine that the robot skipped, counted from the last one: it was busy. */
const skipped = { routine: photographing, run: 2 } as const;

/** Days after planting, and the hour, at which the watched plant is photographed. */
const portraitDays = [18, 32, 46, 62, 76] as const;
const portraitHour = 9;

const regimenName = 'A broccoli in pictures';

/** Whether the past of a garden was created before. */
export const hasSchedule = async (seeder: GardenSeeder): Promise<boolean> =>
  (await seeder.scope.count(regimens, { where: { name: seeder.inWords(regimenName) } })) > 0;

export const hasSoilSensor = ({ product }: Pick<DemoPast, 'product'>): boolean =>
  product?.frame.sensors.some(({ label }) => label === soilSensor) ?? false;

/** Returns the routines of a garden: without a soil sensor, nothing is measured. */
const routinesOf = (past: DemoPast): readonly Routine[] =>
  hasSoilSensor(past) ? [measuring, watering, photographing] : [watering, photographing];

/** Returns the first run of a routine, in ms. */
function firstRun(past: DemoPast, { last, every }: Routine): number {
  const interval = every * hour;
  return past.at(last.daysAgo, last.hour) - Math.floor((scheduledDays * day) / interval) * interval;
}

/** Returns the runs of a routine until now, in ms; robots add fixed durations. */
export function pastRuns(past: DemoPast, routine: Routine): number[] {
  const found: number[] = [];
  for (let time = firstRun(past, routine); time <= past.now; time += routine.every * hour) found.push(time);
  return found;
}

/** Returns the plants whose moisture is measured. */
export const measuredPlants = (past: DemoPast): readonly DemoPlant[] =>
  hasSoilSensor(past) ? past.plants.filter(({ crop }) => crop.slug === watchedCrop) : [];

/** Returns the plant that is photographed as it grows, and when it was planted, in ms. Throws an Error if the list of crops lacks it. */
function watchedPlant(past: DemoPast): { readonly plant: DemoPlant; readonly start: number } {
  const plant = past.plants.find(({ crop }) => crop.slug === watchedCrop);
  if (!plant || plant.age === null) throw new Error(`the demo has no ${watchedCrop}`);
  return { plant, start: past.at(plant.age, 0) };
}

/** Returns the photos of the watched plant that were taken: by the regimen that began on the day when it was planted. */
export function portraitTimes(past: DemoPast): { readonly plant: DemoPlant; readonly time: number }[] {
  const { plant, start } = watchedPlant(past);
  return portraitDays
    .map((days) => ({ plant, time: start + days * day + portraitHour * hour }))
    .filter(({ time }) => time <= past.now);
}

/** Creates the schedule, with what the robot logged of its past, and runs over several plants. `ids`: of sequences; `watched`: the id of the watched plant. */
export async function seedSchedule(
  seeder: GardenSeeder,
  past: DemoPast,
  ids: ReadonlyMap<string, number>,
  watched: number | null,
): Promise<void> {
  const { scope } = seeder;
  // As the logs of the past, those of further runs tell their ends.
  await updateRecord(scope, fbosConfig, await loadSingleton(scope, fbosConfig), { sequence_complete_log: true });
  for (const routine of routinesOf(past)) await seedRoutine(seeder, past, routine, idIn(ids, routine.program));
  if (watched !== null) await seedRegimen(seeder, past, idIn(ids, takePhotoOfPlant.name), watched);
  await logRuns(seeder, past);
  await seedRuns(seeder, past);
}

/** Creates a farm event that began at a time, in ms, and did not change since: its past runs are known by that. [ADR 129] */
async function schedule(scope: DeviceScope, start: number, body: Body): Promise<void> {
  const json = await createFarmEvent(scope, { ...body, start_time: timestamp(start) });
  await scope.update(farmEvents, madeAt(start), { where: { id: Number(JSON.parse(json).id) } });
}

async function seedRoutine(
  seeder: GardenSeeder,
  past: DemoPast,
  routine: Routine,
  executable_id: number,
): Promise<void> {
  const { scope } = seeder;
  const group = routine.group && (await scope.first(pointGroups, { where: { name: seeder.inWords(routine.group) } }));
  await schedule(scope, firstRun(past, routine), {
    executable_type: 'Sequence',
    executable_id,
    end_time: timestamp(past.now + 2 * scheduledDays * day),
    repeat: routine.every,
    time_unit: 'hourly',
    body: group ? [recordValueNode('parent', 'point_group', { point_group_id: group.id })] : [],
  });
}

async function seedRegimen(seeder: GardenSeeder, past: DemoPast, sequence_id: number, watched: number): Promise<void> {
  const { scope } = seeder;
  const json = await createRegimen(scope, {
    name: seeder.inWords(regimenName),
    color: 'green',
    regimen_items: portraitDays.map((days) => ({ sequence_id, time_offset: days * day + portraitHour * hour })),
    body: [recordValueNode('parent', 'point', { pointer_type: 'Plant', pointer_id: watched })],
  });
  await schedule(scope, watchedPlant(past).start, {
    executable_type: 'Regimen',
    executable_id: Number(JSON.parse(json).id),
    repeat: 1,
    time_unit: 'never',
  });
}

/** What the robot said at a time, in ms. */
interface SaidThen {
  readonly time: number;
  readonly type: LogType;
  readonly message: Message;
}

/** Stores the logs of scheduled runs, as a virtual robot writes them. */
async function logRuns(seeder: GardenSeeder, past: DemoPast): Promise<void> {
  const offsets = new ZoneOffsets(past.zone);
  const due = [
    ...routinesOf(past).flatMap((routine) => {
      const times = pastRuns(past, routine);
      const isSkipped = (index: number) => routine === skipped.routine && index === times.length - 1 - skipped.run;
      return times.map((time, index) => ({ ...routine, time, isSkipped: isSkipped(index) }));
    }),
    ...portraitTimes(past).map(({ time }) => ({ program: takePhotoOfPlant.name, length: 1, time, isSkipped: false })),
  ];
  const said = due.flatMap(({ program, length, time, isSkipped }): SaidThen[] => {
    const name = seeder.inWords(program);
    const clock = offsets.format(time).slice(11, 16);
    if (isSkipped) return [{ time, type: 'warn', message: sayOfRobot.missed(name, clock) }];
    return [
      { time, type: 'info', message: sayOfRobot.runs(name, clock) },
      { time: time + length * minute, type: 'success', message: sayOfRobot.completed(name) },
    ];
  });
  const rows = said
    .filter(({ time }) => time <= past.now)
    .toSorted((a, b) => a.time - b.time)
    .map(({ time, type, message }) => ({
      message: String(message),
      type,
      verbosity: 1,
      channels: [],
      ...madeAt(time),
    }));
  await seeder.scope.insertAll(logs, rows);
}

/** Runs over several places that a person started: days ago, hour, places. */
const finishedRuns = [
  [9, 18, 6],
  [4, 19, 10],
] as const;

async function seedRuns(seeder: GardenSeeder, past: DemoPast): Promise<void> {
  const rows = finishedRuns.map(([daysAgo, hours, total]) => {
    const started = past.at(daysAgo, hours);
    const ended_at = timestamp(started + total * 20_000);
    return {
      name: seeder.inWords(waterPlant.name),
      state: 'done' as const,
      total,
      done: total,
      skipped: 0,
      user_id: 0,
      is_sent: false,
      ended_at,
      ...madeAt(started),
    };
  });
  const { scope } = seeder;
  for (const { id } of await scope.insertAll(runs, rows)) announceChanged(scope, runs, id);
}
