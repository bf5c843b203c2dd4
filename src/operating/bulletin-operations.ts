import { randomBytes } from 'node:crypto';
import { userByEmail } from '../accounts/users.ts';
import { refused } from '../core/errors.ts';
import { UniqueViolation } from '../db/errors.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { sql } from '../db/sql.ts';
import type { RowOf } from '../db/table.ts';
import { acrossDevices, only } from '../db/table.ts';
import { alerts } from '../device/alerts.ts';
import { devices } from '../device/devices.ts';
import { globalBulletins } from '../device/global-bulletins.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { oneOf, text } from '../engine/fields.ts';
import { fieldProblem } from '../engine/kinds.ts';
import { deleteRecord, insertRecord } from '../engine/records.ts';

type BulletinRow = RowOf<typeof globalBulletins>;
type BulletinWish = Omit<BulletinRow, 'id' | 'created_at' | 'updated_at' | 'slug'>;

const problem_tag = 'api.bulletin.unread';
/** [reference 7] */
const priority = 99;
/** Devices that are read at once … */
const perRead = 200;
/** … and that are told at once: each holds a connection on PostgreSQL, and they share commits on SQLite. */
const atOnce = 4;
const longestSlug = 80;

/** Unread bulletins of all devices. */
const unread = acrossDevices(only(alerts, 'device_id', 'problem_tag', 'slug'));

const fields = {
  title: text().required().max(100, 'field'),
  content: text().required().max(5000, 'field'),
  type: oneOf('info', 'success', 'warn').default('info'),
  href: text()
    .nullByDefault()
    .max(2000, 'field')
    .check((url, name) =>
      /^(https?:\/\/|\/(?!\/))\S+$/.test(url)
        ? null
        : fieldProblem(name, 'must begin with http://, https:// or a single slash'),
    ),
  href_label: text().nullByDefault().max(100, 'field'),
};

/** What became of a bulletin that was to be added. */
export interface AddedBulletin {
  readonly slug: string;
  /** The very same bulletin was there already, and went to those who had no alert of it. */
  readonly existed: boolean;
  /** Devices that have an alert of it now and had none before. */
  readonly notifiedDevices: number;
}

/** What an operator can do about news for all users. */
export interface BulletinOperations {
  /**
   * Publishes a bulletin and has it shown. `to`: `all`, or an e-mail address. `wish`: title, content, perhaps type, href,
   * href_label. The same one again goes to those who have no alert of it, which also finishes what was broken off. Throws 422.
   */
  add(to: string, wish: Body): Promise<AddedBulletin>;
  list(): Promise<readonly (BulletinRow & { readonly unread: number })[]>;
  /** Deletes a bulletin and its alerts. Gives how many had not read it; null: there is no such bulletin. */
  remove(slug: string): Promise<number | null>;
}

/** The part of an address that a title becomes: `Neue Köpfe, 2 €` → `neue-kopfe-2`. Titles without Latin letters and digits get something random. */
export function slugOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  const slug = words.replace(/^-/, '').slice(0, longestSlug).replace(/-$/, '');
  return slug === '' ? `news-${randomBytes(4).toString('hex')}` : slug;
}

/** Makes the operations. [reference 9] */
export function bulletinOperations({ server }: { readonly server: () => ServerScope }): BulletinOperations {
  return {
    async add(to, wish) {
      const reading = parseBody(fields, wish, 'create');
      assertValid(reading);
      const values = reading.values as BulletinWish;
      if (values.href_label !== null && values.href === null)
        throw refused('A label needs a link: say where it leads to.');
      const user = to === 'all' ? null : await userByEmail(server(), to);
      if (user === undefined) throw refused('There is no user with that address.');
      const { bulletin, wasKnown: existed } = await keep(server(), values);
      const { slug } = bulletin;
      const notifiedDevices = user
        ? Number(await alertDevice(server().device(user.device_id), slug))
        : await alertAll(server(), slug);
      return { slug, existed, notifiedDevices };
    },
    async list() {
      const rows = await server().rows(globalBulletins);
      return Promise.all(
        rows.map(async (row) => ({
          ...row,
          unread: await server().count(unread, { where: { problem_tag, slug: row.slug } }),
        })),
      );
    },
    async remove(slug) {
      const bulletin = await server().first(globalBulletins, { where: { slug } });
      if (!bulletin) return null;
      const count = await withdrawAll(server(), slug);
      await server().delete(globalBulletins, { where: { id: bulletin.id } });
      return count;
    },
  };
}

/** Finds the very same bulletin or stores it. Throws 422 when another one has its slug. */
async function keep(server: ServerScope, values: BulletinWish): Promise<{ bulletin: BulletinRow; wasKnown: boolean }> {
  const slug = slugOf(values.title ?? '');
  const find = () => server.first(globalBulletins, { where: { slug } });
  const stored = await find();
  if (!stored) {
    try {
      return { bulletin: await server.insert(globalBulletins, { ...values, slug }), wasKnown: false };
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error;
    }
  }
  const bulletin = stored ?? (await find());
  const isSame =
    bulletin && (Object.keys(fields) as (keyof BulletinWish)[]).every((key) => bulletin[key] === values[key]);
  if (!isSame)
    throw refused(`There is another bulletin ${slug} already. Give this one another title, or remove that one.`);
  return { bulletin, wasKnown: true };
}

/** Gives a device an alert of a bulletin. False: it has one, or is gone. */
const alertDevice = (device: DeviceScope, slug: string): Promise<boolean> =>
  device.transaction(async (scope) => {
    if (!(await scope.first(devices)) || (await scope.count(alerts, { where: { problem_tag, slug } })) > 0)
      return false;
    await insertRecord(scope, alerts, { problem_tag, priority, slug });
    return true;
  });

async function alertAll(server: ServerScope, slug: string): Promise<number> {
  let told = 0;
  let last = 0;
  while (true) {
    const rows = await server.rows(devices, {
      where: { id: { gt: last } },
      and: sql`not exists (select 1 from alerts a where a.device_id = devices.id and a.slug = ${slug})`,
      limit: perRead,
    });
    const alerted = await some(rows, ({ id }) => alertDevice(server.device(id), slug));
    told += alerted.filter(Boolean).length;
    last = rows.at(-1)?.id ?? last;
    if (rows.length < perRead) return told;
  }
}

async function withdrawAll(server: ServerScope, slug: string): Promise<number> {
  let gone = 0;
  while (true) {
    const rows = await server.rows(unread, { where: { problem_tag, slug }, limit: perRead });
    const counts = await some([...new Set(rows.map(({ device_id }) => device_id))], (id) =>
      server.device(id).transaction(async (scope) => {
        const own = await scope.rows(alerts, { where: { problem_tag, slug } });
        for (const alert of own) await deleteRecord(scope, alerts, alert);
        return own.length;
      }),
    );
    gone += counts.reduce((sum, count) => sum + count, 0);
    if (rows.length < perRead) return gone;
  }
}

/** Does some work for each, a few at once, and gives what came of it. */
async function some<T, R>(list: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < list.length; from += atOnce)
    results.push(...(await Promise.all(list.slice(from, from + atOnce).map(work))));
  return results;
}
