import { expect, it } from 'vitest';
import { diskErrorMessage } from './disk-errors.ts';
import { Failure } from './errors.ts';

const failure = (code: string) => {
  const unavailable = new Failure('unavailable');
  unavailable.cause = Object.assign(new Error(code), { code });
  return unavailable;
};

it('name the folder and the remedy', () => {
  const full = 'The disk with the data folder /data is full. Free some space, and try again.';
  expect(diskErrorMessage(Object.assign(new Error('full'), { code: 'ENOSPC' }), '/data')).toBe(full);
  expect(diskErrorMessage(failure('SQLITE_FULL'), '/data')).toBe(full);
  for (const code of ['SQLITE_READONLY_DIRECTORY', 'SQLITE_IOERR_WRITE', 'SQLITE_CANTOPEN'])
    expect(diskErrorMessage(failure(code), '/data')).toBe(
      `The data folder /data cannot be written (${code}). Check the disk, and the owner and the permissions of the folder and its files.`,
    );
  expect(diskErrorMessage(failure('SQLITE_CORRUPT_INDEX'), '/data')).toBe(
    'The database in /data is damaged. Stop the server, move the folder away, and restore a backup with "potager restore".',
  );
  expect(diskErrorMessage(failure('SQLITE_BUSY'), '/data')).toBeNull();
  expect(diskErrorMessage(new Error('other'), '/data')).toBeNull();
});
