import { timestamp } from '../core/clock.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { DeviceRow } from '../device/devices.ts';
import { ownDevice } from '../device/devices.ts';
import type { DeviceOffer } from '../device/offer.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import type { ResourceRights } from '../engine/rights.ts';
import type { DeviceRoute } from '../engine/route.ts';
import type { CropSearch } from '../garden/crop-search.ts';
import type { LiveOffer } from '../live/offer.ts';
import { dryPlaces } from './dry-places.ts';
import { say } from './messages.ts';
import { plantItems } from './plant-day.ts';
import { nextRun, scheduledRuns, startedRuns } from './robot-day.ts';
import type { Item } from './today-items.ts';
import { Day, itemKinds } from './today-items.ts';

const minute = 60_000;
/** How long a robot is away before it is worth a sentence, and until it counts as put away, in ms. */
const [awayTime, maxAbsence] = [5 * minute, 30 * 24 * 60 * minute];

const reply = Type.Object(
  {
    date: Type.String({ format: 'date', description: 'The day of the garden.' }),
    items: Type.Array(
      Type.Object({
        kind: Type.OneOf(itemKinds),
        message: Type.String({ description: 'A sentence, in the language of the request.' }),
        at: Type.Nullable(timeSchema),
        point_ids: Type.Array(idSchema, { description: 'The plants that it is about.' }),
      }),
      { description: 'In the order of their kinds; empty if nothing is worth a sentence.' },
    ),
  },
  {
    $id: 'Today',
    examples: [
      {
        date: '2040-04-01',
        items: [
          { kind: 'ran', message: 'Done today: Water all (7:00 AM).', at: '2040-04-01T05:00:00.000Z', point_ids: [] },
          { kind: 'ripe', message: 'Ripe: Spinach (2).', at: null, point_ids: [7, 8] },
        ],
      },
    ],
  },
);

export interface TodayServices {
  readonly crops: () => Promise<CropSearch>;
  readonly device: DeviceOffer;
  readonly live: LiveOffer;
  readonly rights: ResourceRights;
}

/** `GET /api/today`: what a gardener is to know. [ADR 134] */
export function todayRoute({ rights, crops, device, live }: TodayServices): DeviceRoute {
  /** Returns since when the robot is away; nothing if it is connected, was never, or was put away. */
  function offline(row: DeviceRow, day: Day): Item[] {
    const seen = row.last_saw_broker === null ? null : device.activity.lastSeen(row);
    if (seen === null || live.directory.robots(row.id).length > 0) return [];
    const at = Date.parse(seen);
    const away = day.now - at;
    return away < awayTime || away > maxAbsence ? [] : [{ kind: 'offline', message: say.offline(day.since(at)), at }];
  }

  async function itemsOf(scope: DeviceScope, row: DeviceRow, day: Day, mayRead: (kind: string) => boolean) {
    // Notifications have the rights of logs.
    const readsReports = mayRead('FarmEvent') && mayRead('Notification');
    return [
      ...offline(row, day),
      ...(readsReports ? await scheduledRuns(scope, day) : []),
      ...(mayRead('Run') ? await startedRuns(scope, day) : []),
      ...(mayRead('FarmEvent') ? await nextRun(scope, day) : []),
      ...(mayRead('SensorReading') ? await dryPlaces(scope, day) : []),
      ...(mayRead('Point') ? await plantItems(scope, day, row.lat, await crops()) : []),
    ];
  }

  return {
    access: 'token',
    tag: 'Garden',
    addition: true,
    method: 'GET',
    path: '/api/today',
    summary: 'Show what is to be known of the garden today',
    description:
      'Returns sentences about this day of the garden: since when the robot is offline, what its schedule ran and what failed, what it runs next, places that calibrated sensors found dry, what is ripe, and what is to be sown this week. Parts that the credential may not read are left out.',
    replies: { 200: reply },
    async handle(scope, call) {
      const row = await ownDevice(scope);
      const day = new Day(scope.clock.now(), row.timezone ?? 'UTC');
      const items = await itemsOf(scope, row, day, rights.readable(call.session.rights));
      const order = ({ kind }: Item): number => itemKinds.indexOf(kind);
      return {
        date: day.date(),
        items: items
          .toSorted((a, b) => order(a) - order(b))
          .map(({ kind, message, at, points }) => ({
            kind,
            message,
            at: at === undefined ? null : timestamp(at),
            point_ids: points ?? [],
          })),
      };
    },
  };
}
