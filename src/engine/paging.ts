import type { Origin } from './route.ts';

/** A page of a list, counted from 1. */
export interface Page {
  readonly page: number;
  readonly per: number;
}

/** Maximum number of records per page. */
export const maxPageSize = 1_000_000;

/** Parses `page` and `per`. Returns null unless both are sent. [rule V19] */
export function parsePage(query: Readonly<Record<string, string>>): Page | null {
  const { page, per } = query;
  if (page === undefined || per === undefined) return null;
  const number = Number.parseInt(page, 10);
  const size = /^\d/.test(per) ? Number.parseInt(per, 10) : 25;
  // The offset must fit into a database's integer; such pages are past the end anyway.
  const maxOffset = Number.MAX_SAFE_INTEGER / 2;
  const first = Number.isNaN(number) || number < 1 ? 1 : number;
  return {
    page: Math.min(first, maxOffset / Math.max(1, Math.min(size, maxPageSize))),
    per: Math.min(size, maxPageSize),
  };
}

/** The headers of a page: the number of records in the whole list, and links to its other pages (RFC 8288). `path`: of the list. `filters`: its other query parameters. */
export function pageHeaders(
  { host, isSecure }: Origin,
  path: string,
  filters: Readonly<Record<string, string>>,
  { page, per }: Page,
  total: number,
): Record<string, string> {
  const last = per === 0 ? 1 : Math.max(1, Math.ceil(total / per));
  const link = (relation: string, number: number): string => {
    const parameters = new URLSearchParams({ ...filters, page: String(number), per: String(per) });
    return `<${isSecure ? 'https' : 'http'}://${host}${path}?${parameters}>; rel="${relation}"`;
  };
  const links = [
    link('first', 1),
    ...(page > 1 ? [link('prev', Math.min(Math.ceil(page) - 1, last))] : []),
    ...(page < last ? [link('next', page + 1)] : []),
    link('last', last),
  ];
  return { 'x-total-count': String(total), link: links.join(', ') };
}
