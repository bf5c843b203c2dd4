/** A move that is not possible, with a message for the operator. Everything is where it was. */
export class MoveError extends Error {}

/** The target of a move cannot be used: `cause` says why. */
export class TargetError extends Error {
  constructor(cause: unknown) {
    super('the target of the move failed', { cause });
  }
}
