import type { FieldFailure } from '../core/errors.ts';
import { Failure, invalid } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { boolean } from '../engine/fields.ts';
import type { JsonSchema, SchemaProperties } from '../engine/json-schema.ts';
import { Type } from '../engine/json-schema.ts';
import { find, insertRecord, show, updateRecord } from '../engine/records.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { deviceRoutes, jsonReply } from '../engine/route.ts';
import { inputSchema, recordSchema, withExample } from '../engine/schemas.ts';
import { scheduleTrim } from '../engine/trimming.ts';
import type { GardenOffer } from '../garden/offer.ts';
import type { LiveOffer } from '../live/offer.ts';
import { sayOfResponse } from '../live/robots/response-messages.ts';
import type { ProgramsOffer } from '../programs/offer.ts';
import { say } from './messages.ts';
import type { RunRow } from './run-records.ts';
import { activeStates, maxPlaces, maxRuns, resumableStates, runPlaces, runs } from './run-records.ts';
import type { RunWorker } from './run-worker.ts';
import { end } from './run-worker.ts';

export interface RunRouteOptions {
  readonly worker: Pick<RunWorker, 'enqueue'>;
  readonly garden: Pick<GardenOffer, 'points'>;
  readonly live: Pick<LiveOffer, 'directory'>;
  readonly programs: ProgramsOffer;
}

/** A place as a request names it. */
interface Step {
  readonly point_id: number;
  readonly program: object;
}

const isStep = (value: unknown): value is Step =>
  isObject(value) && Number.isSafeInteger(value.point_id) && isObject(value.program);

const conflict = { 409: Type.Object({ error: Type.String() }, { examples: [{ error: String(say.active) }] }) } as const;

const runBody = (program: JsonSchema): JsonSchema =>
  Type.Object(
    {
      ...(inputSchema(runs.fields, 'create', 'RunInput').properties as SchemaProperties),
      steps: Type.Array(
        Type.Object({
          point_id: Type.Integer({
            minimum: 1,
            description: 'The plant or point at which it runs. Left out if it is deleted meanwhile.',
          }),
          program,
        }),
        { minItems: 1, maxItems: maxPlaces, description: 'In this order.' },
      ),
    },
    {
      $id: 'RunInput',
      examples: [
        {
          name: 'Water plant',
          steps: [
            {
              point_id: 7,
              program: {
                sequence_id: 3,
                parameters: {
                  parent: { kind: 'point', args: { pointer_type: 'Plant', pointer_id: 7 } },
                },
              },
            },
          ],
        },
      ],
    },
  );

const resumeFields = {
  skip: boolean()
    .default(false)
    .describe('Leaves out the place at which it was interrupted.')
    .label('Leave out', 'Laisser'),
};

const resumeBody = withExample(inputSchema(resumeFields, 'create', 'RunResumption'), { skip: true });

/** Returns the routes of runs besides those that the resource declares. */
export function runRoutes({ worker, garden, live, programs }: RunRouteOptions): DeviceRoute[] {
  const record = recordSchema(runs);
  const reply = async (scope: DeviceScope, id: number) => jsonReply(await show(scope, runs, id));

  /** Parses a body. Throws 422. */
  async function parseRun(scope: DeviceScope, body: Readonly<Record<string, unknown>>) {
    const parsed = parseBody(runs.fields, body, 'create');
    const { steps } = body;
    const isList = Array.isArray(steps) && steps.length > 0 && steps.length <= maxPlaces && steps.every(isStep);
    assertValid(parsed, isList ? {} : { steps: say.places(maxPlaces) });
    const list: readonly Step[] = isList ? steps : [];
    const ids = [...new Set(list.map(({ point_id }) => point_id))];
    const points = await scope.rows(garden.points, { where: { id: ids, discarded_at: null } });
    const names = new Map(points.map(({ id, name }) => [id, name]));
    const failures: (FieldFailure | null)[] = [];
    for (const { point_id, program } of list) {
      if (!names.has(point_id)) failures.push({ point_id: say.noPoint });
      else failures.push(await programFailure(scope, program));
    }
    if (failures.some((failure) => failure !== null)) throw invalid({ steps: failures });
    const places = list.map(({ point_id, program }) => ({ point_id, program, name: names.get(point_id) ?? '' }));
    return { values: parsed.values as Insertable<RunRow>, places };
  }

  /** Returns what is wrong with a program; null: nothing. */
  async function programFailure(scope: DeviceScope, program: object): Promise<FieldFailure | null> {
    try {
      await programs.robotRequest(scope, program, 'run');
      return null;
    } catch (error) {
      if (error instanceof Failure && error.fields) return error.fields;
      throw error;
    }
  }

  /** Throws 409 if the robot cannot begin. */
  async function assertFree(scope: DeviceScope): Promise<void> {
    if ((await scope.count(runs, { where: { state: activeStates } })) > 0) throw new Failure('conflict', say.active);
    if (live.directory.robots(scope.deviceId).length === 0) throw new Failure('conflict', sayOfResponse.noRobot);
  }

  return deviceRoutes({ tag: 'Control', addition: true, method: 'POST' }, [
    {
      path: '/api/runs',
      summary: 'Have the robot run programs at several places',
      description: `Returns a run at once. The server sends the program of each place to the robot when it has responded to the one before, and changes \`done\` of the run, which event streams report. It ends at the first error: \`interrupted\`. A garden has one run at a time: 409 while another is in progress, or no robot is connected. At most ${maxPlaces} places.`,
      transaction: false,
      body: { rule: 'object', schema: runBody(programs.commandSchema) },
      replies: { 200: record, ...conflict, 422: fieldFailuresSchema },
      async handle(scope, call) {
        const { values, places } = await parseRun(scope, objectBody(call));
        return scope.transaction(async (inner) => {
          await assertFree(inner);
          // The places of the run before it go: it cannot be resumed any more.
          for (const run of await inner.rows(runs, { where: { state: 'interrupted' } }))
            await updateRecord(inner, runs, run, { state: 'stopped' });
          await inner.delete(runPlaces, { where: {} });
          const [first] = places;
          const run = await insertRecord(inner, runs, {
            ...values,
            total: places.length,
            point_id: first?.point_id ?? null,
            place: first?.name ?? null,
            user_id: scope.userId ?? 0,
          });
          await inner.insertAll(
            runPlaces,
            places.map((place, index) => ({ ...place, run_id: run.id, number: index + 1 })),
          );
          scheduleTrim(inner, runs, (later) => later.trim(runs, maxRuns));
          await worker.enqueue(inner, run);
          return reply(inner, run.id);
        });
      },
    },
    {
      path: '/api/runs/:id/stop',
      summary: 'Stop a run after the current place',
      description:
        'Ends the run once the robot has responded at the current place; one that was interrupted, at once. An emergency stop interrupts it at once.',
      replies: { 200: record, ...conflict },
      async handle(scope, call) {
        const run = await ownRun(scope, call.params.id);
        if (run.state === 'interrupted') await end(scope, run, { state: 'stopped' });
        else if (run.state === 'running') await updateRecord(scope, runs, run, { state: 'stopping' });
        else if (run.state !== 'stopping' && run.state !== 'stopped') throw new Failure('conflict', say.over);
        return reply(scope, run.id);
      },
    },
    {
      path: '/api/runs/:id/resume',
      summary: 'Resume a run',
      description:
        'Has the last run of the garden go on where it was interrupted or stopped: at the same place, or with `skip` at the next one. 409 if another is in progress, or no robot is connected.',
      body: { rule: 'optional', schema: resumeBody },
      replies: { 200: record, ...conflict, 422: fieldFailuresSchema },
      async handle(scope, call) {
        const run = await ownRun(scope, call.params.id);
        const parsed = parseBody(resumeFields, objectBody(call), 'create');
        assertValid(parsed);
        await assertFree(scope);
        const isLast = (await scope.count(runPlaces, { where: { run_id: run.id } })) > 0;
        if (!isLast || !resumableStates.some((state) => state === run.state))
          throw new Failure('conflict', say.notResumable);
        const skipped = run.skipped + Number(parsed.values.skip);
        const changes = {
          state: 'running',
          skipped,
          problem: null,
          ended_at: null,
          user_id: scope.userId ?? 0,
        } as const;
        await worker.enqueue(scope, await updateRecord(scope, runs, run, changes));
        return reply(scope, run.id);
      },
    },
  ]);
}

const ownRun = (scope: DeviceScope, id: string | undefined): Promise<RunRow> =>
  find(scope, runs, parseId(id, runs.singular));
