import type { FieldFailures } from '../../core/errors.ts';
import { Failure, invalid, refused } from '../../core/errors.ts';
import { ZoneOffsets } from '../../core/local-day.ts';
import { Slices, yieldToRequests } from '../../core/request-pause.ts';
import type { TableRow, TextTable } from '../../core/text-table.ts';
import { decodeTable, parseTable, TableError } from '../../core/text-table.ts';
import type { DeviceScope, Insertable } from '../../db/scope.ts';
import { ownDevice } from '../../device/devices.ts';
import type { Body } from '../../engine/body.ts';
import { announceChanged, parseCreate } from '../../engine/records.ts';
import type { CropSearch } from '../../garden/crop-search.ts';
import { pointLimit, purgeArchivedPoints } from '../../garden/point-lifecycle.ts';
import type { Point } from '../../garden/points.ts';
import { maxStoredPoints, notArchived, points } from '../../garden/points.ts';
import type { ImportReport } from '../import-report.ts';
import { escapeKey, failureMessage, ImportRemarks } from '../import-report.ts';
import type { ImportOptions } from '../importer.ts';
import { say } from '../messages.ts';
import type { CellContext, PointColumn } from './point-table.ts';
import { columnOf, dayComesFirst, pointReferences } from './point-table.ts';

/** A column of the sent table. */
interface SentColumn extends PointColumn {
  readonly index: number;
  readonly heading: string;
}

/** Returns the path of a value of the table in reports. */
const cellPath = (row: number, heading: string): string => `/rows/${row}/${escapeKey(heading)}`;

/** Returns the known columns. Reports the others. */
function columnsOf({ head }: TextTable, remarks: ImportRemarks): SentColumn[] {
  const found = new Map<string, SentColumn>();
  for (const [index, heading] of head.entries()) {
    if (heading === '') continue;
    const column = columnOf(heading);
    if (!column) remarks.omitted(cellPath(1, heading), say.unknownColumn);
    else if (found.has(column.field)) remarks.problem(cellPath(1, heading), say.columnTwice);
    else found.set(column.field, { ...column, index, heading });
  }
  for (const field of ['x', 'y']) if (!found.has(field)) remarks.problem('/rows/1', say.noColumn(field));
  return [...found.values()];
}

/** Reads the cells of a row into the body of a point, a plant unless a column says otherwise. Null: there are problems, which are reported. */
function bodyOf(
  { number, cells }: TableRow,
  columns: readonly SentColumn[],
  context: CellContext,
  remarks: ImportRemarks,
): Body | null {
  let body: Body = {};
  let others: Body = { pointer_type: 'Plant' };
  let hasProblem = false;
  for (const { index, heading, field, read } of columns) {
    const text = cells[index] ?? '';
    if (text === '') continue;
    const cell = read(text, context);
    if ('problem' in cell) {
      remarks.problem(cellPath(number, heading), cell.problem);
      hasProblem = true;
      continue;
    }
    if (cell.remark) remarks.adjusted(cellPath(number, heading), cell.remark);
    if (cell.value !== null) body = { ...body, [field]: cell.value };
    others = { ...others, ...cell.others };
  }
  return hasProblem ? null : { ...others, ...body };
}

/** Parses the rows of a table of points. Adds problems to the remarks. Returns the valid ones. */
async function parsePoints(
  scope: DeviceScope,
  table: TextTable,
  crops: CropSearch,
  remarks: ImportRemarks,
): Promise<Insertable<Point>[]> {
  const columns = columnsOf(table, remarks);
  const headings = new Map(columns.map(({ field, heading }) => [field, heading]));
  if (!headings.has('x') || !headings.has('y')) return [];
  const { timezone } = await ownDevice(scope);
  const plantedAt = columns.find(({ field }) => field === 'planted_at');
  const context: CellContext = {
    delimiter: table.delimiter,
    references: await pointReferences(scope),
    crops,
    offsets: new ZoneOffsets(timezone ?? 'UTC'),
    dayFirst: dayComesFirst(plantedAt ? table.rows.map(({ cells }) => cells[plantedAt.index] ?? '') : []),
    now: scope.clock.now(),
  };
  const placed = await scope.rows(points, { where: { tool_id: { not: null } } });
  const placedTools = new Set(placed.map(({ tool_id }) => tool_id));
  const slices = new Slices(yieldToRequests);
  const valid: Insertable<Point>[] = [];
  for (const row of table.rows) {
    await slices.pause();
    if (row.cells.slice(table.head.length).some((cell) => cell !== ''))
      remarks.omitted(`/rows/${row.number}`, say.moreCells(table.head.length));
    const body = bodyOf(row, columns, context, remarks);
    if (!body) continue;
    try {
      const values = await parseCreate(scope, points, body);
      const { tool_id = null } = values;
      if (tool_id !== null && placedTools.has(tool_id)) remarks.problem(`/rows/${row.number}`, say.placedTool);
      placedTools.add(tool_id);
      valid.push(values);
    } catch (error) {
      for (const [field, failure] of Object.entries(failuresOf(error)))
        remarks.problem(cellPath(row.number, headings.get(field) ?? field), failureMessage(failure));
    }
  }
  return valid;
}

/** Returns the problems of a row. Throws other errors. */
function failuresOf(error: unknown): FieldFailures {
  if (!(error instanceof Failure) || error.status !== 422) throw error;
  return error.fields ?? error.places ?? { error: error.sentence };
}

/** Maximum size of a table, in bytes, and how much of a larger one is read and discarded. */
const maxTableSize = 4 * 1024 * 1024;
const maxDiscardedSize = 16 * maxTableSize;

/** Reads a table. Throws 413; some of the rest is discarded, so that the client receives the response. */
async function readBytes(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxTableSize + maxDiscardedSize) throw new Failure('body_too_large');
    if (size <= maxTableSize) chunks.push(chunk);
  }
  if (size > maxTableSize) throw new Failure('body_too_large');
  return Buffer.concat(chunks);
}

export interface TableRequest extends ImportOptions {
  readonly crops: CropSearch;
  /** The name of the encoding; null: it is recognized. */
  readonly encoding: string | null;
  readonly maxPoints?: number;
  /** Called in the transaction of the import. Throws if the caller's permission was revoked. */
  assertAllowed?(scope: DeviceScope): Promise<void>;
}

/** Adds the points of a table (CSV), all of them or none, or reports what would be added. Throws 422 with all problems by path, 413. */
export async function importTable(
  scope: DeviceScope,
  content: AsyncIterable<Buffer>,
  { mode, check, strict, crops, encoding, assertAllowed, maxPoints }: TableRequest,
): Promise<ImportReport> {
  if (mode !== 'merge') throw invalid({ mode: say.tableAdds });
  const table = readable(await readBytes(content), encoding);
  const add = async (inner: DeviceScope): Promise<ImportReport> => {
    const remarks = new ImportRemarks(strict);
    await assertAllowed?.(inner);
    const count = (await inner.count(points, { where: notArchived })) + table.rows.length;
    const max = Math.min(maxPoints ?? (await pointLimit(inner)), maxStoredPoints);
    if (count > max) remarks.problem('/rows', say.tooMany(max, 'points', count));
    const values = count > max ? [] : await parsePoints(inner, table, crops, remarks);
    if (!check) {
      remarks.assertNoProblems();
      if ((await inner.count(points)) + values.length > max) await purgeArchivedPoints(inner);
      const created = await inner.insertAll(points, values);
      for (const { id } of created) announceChanged(inner, points, id);
    }
    return remarks.report({ mode, check, taken: { points: values.length }, reused: {}, back_up: null });
  };
  return check ? add(scope) : scope.transaction(add);
}

/** Reads the text of a table. Throws 422. */
function readable(bytes: Buffer, encoding: string | null): TextTable {
  try {
    return parseTable(decodeTable(bytes, encoding));
  } catch (error) {
    throw error instanceof TableError ? refused(error.sentence) : error;
  }
}
