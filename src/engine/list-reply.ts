import type { DeviceScope, Query } from '../db/scope.ts';
import type { Fields } from './fields.ts';
import { pageHeaders, parsePage } from './paging.ts';
import { list } from './records.ts';
import type { RecordRow, Resource } from './resource.ts';
import type { Call } from './route.ts';
import { jsonContentType, jsonReply, Reply } from './route.ts';

/**
 * Returns a device's records, or one page of them with the number of all records and links to other pages in its headers.
 * `filters`: the query parameters that `query` follows from.
 */
export async function listReply<F extends Fields>(
  scope: DeviceScope,
  resource: Resource<F>,
  call: Call,
  query: Query<RecordRow<F>> = {},
  filters: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const page = parsePage(call.query);
  if (!page) return jsonReply(await list(scope, resource, null, query));
  const total = await scope.count(resource, query);
  const headers = pageHeaders(call, `/api/${resource.name}`, filters, page, total);
  return new Reply(await list(scope, resource, page, query), jsonContentType, 200, headers);
}
