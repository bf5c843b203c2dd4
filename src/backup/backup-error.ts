/** A backup that cannot be created or restored, with a message for the operator. Nothing was changed. */
export class BackupError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BackupError';
  }
}
