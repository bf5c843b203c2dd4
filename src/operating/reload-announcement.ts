import { invalid } from '../core/errors.ts';
import { verbatim } from '../core/message.ts';
import type { Message } from '../core/message-outlet.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';

const kind = 'announce_reload';

/** Time after which a pending request is dropped, in ms: pages opened after it load the new build. */
const requestTimeout = 3_600_000;

/** Length of the commit in the message. [rule S19] */
const commitLength = 8;

interface Parts {
  readonly server: () => ServerScope;
  readonly queue: JobQueue;
  /** The running build. */
  readonly revision: string;
}

/** Operations that make open web apps reload. Commands have no connection to the broker, so they queue a job. [rule S19] */
export const reloadOperations = ({ server, queue, revision }: Parts) => ({
  /** Queues the announcement for the serving process. `commit`: the build. Returns the announced commit. Throws 422. */
  async announce(commit = revision): Promise<string> {
    if (!/^[\w.+-]{1,100}$/.test(commit))
      throw invalid({ commit: verbatim('Commit must be letters, digits, and . + - _.') });
    const scope = server();
    const short = commit.slice(0, commitLength);
    await queue.enqueue(scope, kind, { commit: short, until: scope.clock.now() + requestTimeout });
    return short;
  },
});

/** The job that publishes the announcement. */
export const reloadAnnouncement = (publish: (message: Message) => Promise<void>): JobDefinition => ({
  kind,
  waitsFor: 'broker',
  concurrency: 1,
  async handle(server, { commit, until }) {
    if (typeof until !== 'number' || until < server.clock.now()) return;
    await publish({ topic: 'public_broadcast', payload: JSON.stringify({ type: 'reload', commit }) });
  },
});
