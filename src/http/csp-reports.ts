import Type from 'typebox';
import { isObject } from '../core/json.ts';
import type { Call, PublicRoute } from '../engine/route.ts';
import { loggedPath } from './url.ts';

/** Most characters of one property that are logged. */
const longest = 120;

const short = (value: unknown): string | undefined =>
  typeof value === 'string' ? loggedPath(value).slice(0, longest) : undefined;

/** The parts of a report that help: addresses without query and secrets, and the rule. */
function shortened(report: Record<string, unknown>): object {
  const inner = isObject(report['csp-report']) ? report['csp-report'] : report;
  return {
    document: short(inner['document-uri']),
    blocked: short(inner['blocked-uri']),
    directive: short(inner['violated-directive'] ?? inner['effective-directive']),
  };
}

/** Reports of violated content security policies. The plain form gives the report back, the `.json` form an empty object. [Spec Errors 2] [decision 19] */
export const cspReports: readonly PublicRoute[] = (['/csp_reports', '/csp_reports.json'] as const).map((path) => ({
  access: 'public',
  method: 'POST',
  path,
  tag: 'edge',
  summary: 'Takes a report of a violated content security policy.',
  body: { rule: 'any', schema: Type.Unknown() },
  replies: { 200: Type.Object({}, { additionalProperties: true }) },
  anyVersion: true,
  transaction: false,
  handle(scope, { body }: Call) {
    if (!isObject(body)) return { problem: 'The report is not a JSON object.' };
    scope.log.info(shortened(body), 'a page broke its content security policy');
    return path === '/csp_reports' ? body : {};
  },
}));
