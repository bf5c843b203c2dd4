import { Readable } from 'node:stream';

/** What goes along with an answer that is handed on while it is written. */
export interface AnswerStreamEvents {
  /** The answer broke off; what came before has left already. Must not throw. */
  broken(error: unknown): void;
  /** Nobody reads any more. Must not throw. */
  closed(): void;
}

/** Hands the pieces of an answer on as they come, `first` before all others. It ends like a whole one when it breaks off: its status has left already. */
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
