/** The system's code of an error: `ENOENT`. */
export const errorCode = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** Whether a process of this machine exists. */
export function isProcessAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // It exists and belongs to another user.
    return errorCode(error) === 'EPERM';
  }
}
