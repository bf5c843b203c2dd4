import { randomBytes } from 'node:crypto';
import { userByEmail } from '../accounts/users.ts';
import { refused } from '../core/errors.ts';
import { verbatim } from '../core/message.ts';
import { UniqueViolation } from '../db/errors.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { sql } from '../db/sql.ts';
import type { RowOf } from '../db/table.ts';
import { acrossDevices, only } from '../db/table.ts';
import { alerts } from '../device/alerts.ts';
import { alertOnce, bulletinTag } from '../device/bulletin-alerts.ts';
import { devices } from '../device/devices.ts';
import { globalBulletins } from '../device/global-bulletins.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { oneOf, text } from '../engine/fields.ts';
import { fieldProblem } from '../engine/kinds.ts';
import { deleteRecord } from '../engine/records.ts';

type BulletinRow = RowOf<typeof globalBulletins>;
type BulletinFields = Omit<BulletinRow, 'id' | 'created_at' | 'updated_at' | 'slug'>;

const problem_tag = bulletinTag;
/** Number of devices per query. */
const batchSize = 200;
/** Number of concurrent transactions: on PostgreSQL each holds a connection, on SQLite they share commits. */
const concurrency = 4;
const maxSlugLength = 80;

/** The alerts of all devices, with the columns that identify bulletins. */
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
        : fieldProblem(name, (field) => verbatim(`${field} must begin with http://, https:// or a single slash.`)),
    ),
  href_label: text().nullByDefault().max(100, 'field'),
};

/** Returns the slug of a title: `neue-kopfe-2` for `Neue Köpfe, 2 €`; random if the title has no Latin letters or digits. [rule S18] */
export function slugOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  const slug = words.replace(/^-/, '').slice(0, maxSlugLength).replace(/-$/, '');
  return slug === '' ? `news-${randomBytes(4).toString('hex')}` : slug;
}

/** Operations on bulletins, the news for all users. [rule S18] */
export function bulletinOperations({ server }: { readonly server: () => ServerScope }) {
  return {
    /**
     * Stores a bulletin and creates alerts. `to`: `all`, or an e-mail address. `body`: title, content, optional type, href,
     * href_label. Idempotent: adding it again creates the missing alerts. Returns whether the same bulletin existed already, and the
     * number of devices that got an alert. Throws 422.
     */
    async add(to: string, body: Body) {
      const parsed = parseBody(fields, body, 'create');
      assertValid(parsed);
      const values = parsed.values as BulletinFields;
      if (values.href_label !== null && values.href === null)
        throw refused(verbatim('A label requires a link (href).'));
      const user = to === 'all' ? null : await userByEmail(server(), to);
      if (user === undefined) throw refused(verbatim('There is no user with that e-mail address.'));
      const { bulletin, existed } = await findOrCreate(server(), values);
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
    /** Deletes a bulletin and its alerts. Returns the number of deleted alerts, or null if there is no such bulletin. */
    async remove(slug: string): Promise<number | null> {
      const bulletin = await server().first(globalBulletins, { where: { slug } });
      if (!bulletin) return null;
      const count = await withdrawAll(server(), slug);
      await server().delete(globalBulletins, { where: { id: bulletin.id } });
      return count;
    },
  };
}

/** Finds an identical bulletin or stores it. Throws 422 if a different one has its slug. */
async function findOrCreate(
  server: ServerScope,
  values: BulletinFields,
): Promise<{ bulletin: BulletinRow; existed: boolean }> {
  const slug = slugOf(values.title ?? '');
  const find = () => server.first(globalBulletins, { where: { slug } });
  const stored = await find();
  if (!stored) {
    try {
      return { bulletin: await server.insert(globalBulletins, { ...values, slug }), existed: false };
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error;
    }
  }
  const bulletin = stored ?? (await find());
  const isSame =
    bulletin && (Object.keys(fields) as (keyof BulletinFields)[]).every((key) => bulletin[key] === values[key]);
  if (!isSame)
    throw refused(verbatim(`A different bulletin has the slug ${slug}. Use another title, or remove that bulletin.`));
  return { bulletin, existed: true };
}

/** Creates the alert of a device. Returns false if it exists, or if the device was deleted. */
const alertDevice = (device: DeviceScope, slug: string): Promise<boolean> =>
  device.transaction(async (scope) => (await scope.first(devices)) !== undefined && alertOnce(scope, slug));

async function alertAll(server: ServerScope, slug: string): Promise<number> {
  let notified = 0;
  let last = 0;
  while (true) {
    const rows = await server.rows(devices, {
      where: { id: { gt: last } },
      and: sql`not exists (select 1 from alerts a where a.device_id = devices.id and a.slug = ${slug})`,
      limit: batchSize,
    });
    const alerted = await mapConcurrently(rows, ({ id }) => alertDevice(server.device(id), slug));
    notified += alerted.filter(Boolean).length;
    last = rows.at(-1)?.id ?? last;
    if (rows.length < batchSize) return notified;
  }
}

async function withdrawAll(server: ServerScope, slug: string): Promise<number> {
  let deleted = 0;
  while (true) {
    const rows = await server.rows(unread, { where: { problem_tag, slug }, limit: batchSize });
    const counts = await mapConcurrently([...new Set(rows.map(({ device_id }) => device_id))], (id) =>
      server.device(id).transaction(async (scope) => {
        const own = await scope.rows(alerts, { where: { problem_tag, slug } });
        for (const alert of own) await deleteRecord(scope, alerts, alert);
        return own.length;
      }),
    );
    deleted += counts.reduce((sum, count) => sum + count, 0);
    if (rows.length < batchSize) return deleted;
  }
}

/** Runs work for each item with limited concurrency and returns the results. */
async function mapConcurrently<T, R>(list: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < list.length; from += concurrency)
    results.push(...(await Promise.all(list.slice(from, from + concurrency).map(work))));
  return results;
}
