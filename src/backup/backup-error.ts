/** Why a back-up is not made or not restored, in words for its owner. Nothing was changed. */
export class BackupError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'BackUpFailure';
  }
}
