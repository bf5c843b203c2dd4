import { readFileSync } from 'node:fs';
import type { CheckResult } from './check-result.ts';

/** Open files and connections from which on the limit is not worth a line in the log. */
const sufficient = 8_192;
/** Descriptors of the database, the log, photos and requests in progress. */
const reserved = 100;

/** Returns the maximum number of open files of a process, from the text of Linux' `/proc/<pid>/limits`; null if there is no limit. */
export function descriptorLimit(limits: string): number | null {
  const soft = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? null : Number(soft);
}

/** Returns the warning about a limit that a server with thousands of robots would reach, or null. Node.js has raised it to the hard limit. */
export function descriptorWarning(limit = ownLimit()): string | null {
  if (limit === null || limit >= sufficient) return null;
  const clients = Math.max(0, limit - reserved);
  return `At most ${clients} robots and browsers can be connected, because this process may open ${limit} files. For more, set LimitNOFILE=524288 in the systemd unit, or run "ulimit -n 524288" before the start.`;
}

/** Checks the limit that the server has if it is started as this process was; no result where the system does not show it. */
export function checkDescriptors(limit = ownLimit()): CheckResult[] {
  const warning = descriptorWarning(limit);
  const message = warning ?? `This process may open ${limit} files.`;
  return limit === null
    ? []
    : [{ name: 'open files', ok: true, message, ...(warning !== null && { isWarning: true }) }];
}

/** Returns the limit of this process; null where the system does not show it. */
function ownLimit(): number | null {
  try {
    return descriptorLimit(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return null;
  }
}
