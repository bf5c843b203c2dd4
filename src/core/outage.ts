import { Failure } from './errors.ts';
import { errorCode } from './system.ts';

/** Codes of the system for a disk that is full, fails or must not be written, for too many open files, and for a limit of their size. */
const diskCodes: ReadonlySet<unknown> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  'EFBIG',
]);

/** Whether an error of the system says that this machine's disk cannot be used at the moment. */
export const isDiskOutage = (error: unknown): boolean => diskCodes.has(errorCode(error));

/** Whether the database was not available; the outcome of a commit is then unknown. */
export const isUnavailable = (error: unknown): boolean => error instanceof Failure && error.code === 'unavailable';

/** Whether a part of this installation (database, photo storage, broker, disk) is unavailable or full, so that the same work may succeed later. */
export const isOutage = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof Failure && error.code === 'storage_full') || isDiskOutage(error);
