import { Readable } from 'node:stream';

/** Callbacks of a streamed answer. */
export interface AnswerStreamEvents {
  /** The answer failed after some pieces. Must not throw. */
  broken(error: unknown): void;
  /** The stream was closed. Must not throw. */
  closed(): void;
}

/** Streams the pieces of an answer, beginning with `first`. A failure ends the stream like a complete answer, since the status is already sent. */
export function answerStream(first: string, rest: AsyncGenerator<string, void>, ends: AnswerStreamEvents): Readable {
  let waiting: string | null = first;
  const pull = async (stream: Readable): Promise<void> => {
    try {
      const { done, value } = await rest.next();
      stream.push(done ? null : value);
    } catch (error) {
      if (stream.destroyed) return;
      ends.broken(error);
      stream.push(null);
    }
  };
  return new Readable({
    read() {
      if (waiting === null) void pull(this);
      else {
        this.push(waiting);
        waiting = null;
      }
    },
    destroy(error, done) {
      ends.closed();
      rest.return().catch(() => undefined);
      done(error);
    },
  });
}
