import { isObject } from '../core/json.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, PublicRoute } from '../engine/route.ts';
import { loggedPath } from './url.ts';

/** Characters of one property that are logged. */
const maxLoggedLength = 120;

const logged = (value: unknown): string | undefined =>
  typeof value === 'string' ? loggedPath(value).slice(0, maxLoggedLength) : undefined;

/** The useful parts of a report: the violated directive, and URLs without query and secrets. */
function summary(report: Record<string, unknown>): object {
  const inner = isObject(report['csp-report']) ? report['csp-report'] : report;
  return {
    document: logged(inner['document-uri']),
    blocked: logged(inner['blocked-uri']),
    directive: logged(inner['violated-directive'] ?? inner['effective-directive']),
  };
}

/** Reports of violated content security policies. The plain path returns the report, the `.json` path an empty object. [rule H14, decision 19] */
export const cspReports: readonly PublicRoute[] = (['/csp_reports', '/csp_reports.json'] as const).map((path) => ({
  access: 'public',
  method: 'POST',
  path,
  tag: 'Server',
  ...(path === '/csp_reports' ? {} : { aliasOf: '/csp_reports' }),
  summary: 'Report a violation of the content security policy.',
  description: 'Browsers report here what a page was not allowed to load. The report is logged.',
  body: { rule: 'any', schema: Type.AnyObject({ description: 'As browsers send it.' }) },
  replies: { 200: Type.AnyObject() },
  acceptsAnyVersion: true,
  transaction: false,
  handle(scope, { body }: Call) {
    if (!isObject(body)) return { problem: 'The report is not a JSON object.' };
    scope.log.info(summary(body), 'a page violated its content security policy');
    return path === '/csp_reports' ? body : {};
  },
}));
