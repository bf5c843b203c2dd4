/** The system's code of an error: `ENOENT`. */
export const errorCode = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** The same for a message. */
export const errorCodeText = (error: unknown): string => String(errorCode(error) ?? 'unknown error');

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
