import type { DeviceScope } from '../db/scope.ts';
import type { LogBook } from './log-book.ts';
import type { LogType } from './logs.ts';

/** Something that the server has to tell the device's owner. */
export interface Notice {
  readonly message: string;
  /** `info` if left out. */
  readonly type?: LogType;
  /** Where it shows beside the list of logs: `toast`, `error`, `fatal_email`, … */
  readonly channels?: readonly string[];
}

/** Tells the owner of a device something, in the caller's transaction or in one of its own. [reference 0.4] */
export type Tell = (scope: DeviceScope, notice: Notice) => Promise<void>;

/** The way to tell owners something. */
export interface Notices {
  readonly tell: Tell;
}

/** The version by which clients know that the server itself speaks. [reference 0.4] */
const ownVersion = { major_version: 99, minor_version: 99, patch_version: 99 };

/** Notices as logs of the device, in the caller's transaction or in one of their own. */
export function loggedNotices(book: LogBook): Notices {
  const tell: Tell = async (scope, notice) => {
    if (!scope.isTransaction) return scope.transaction((inner) => tell(inner, notice));
    const { message, type = 'info', channels = [] } = notice;
    await book.write(scope, { ...ownVersion, message, type, channels: [...channels], verbosity: 1 });
  };
  return { tell };
}
