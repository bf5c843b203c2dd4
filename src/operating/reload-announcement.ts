import { invalid } from '../core/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { Message } from '../live/broker.ts';

const kind = 'announce_reload';

/** A request that nobody could carry out for so long, in ms, has lost its meaning: whoever opens a page then has the new one. */
const patience = 3_600_000;

/** Characters that clients get of a build's name. [reference 14.3] */
const commitLength = 8;

/** Asks everybody who has the web app open to load it anew. [reference 14.3] */
export interface ReloadOperations {
  /** `commit`: the name of the build, `revision` if left out. Gives what clients are told. The serving process sends it. Throws 422. */
  announce(commit?: string): Promise<string>;
}

interface Parts {
  readonly server: () => ServerScope;
  readonly queue: JobQueue;
  /** The name of the build that runs. */
  readonly revision: string;
}

/** Makes the operation: commands have no connection to the broker, so they leave a job. */
export const reloadOperations = ({ server, queue, revision }: Parts): ReloadOperations => ({
  async announce(commit = revision) {
    if (!/^[\w.+-]{1,100}$/.test(commit)) throw invalid({ commit: 'Commit must be letters, digits, and . + - _.' });
    const scope = server();
    const short = commit.slice(0, commitLength);
    await queue.enqueue(scope, kind, { commit: short, until: scope.clock.now() + patience });
    return short;
  },
});

/** Does what {@link reloadOperations} asked for. */
export const reloadAnnouncement = (publish: (message: Message) => Promise<void>): JobDefinition => ({
  kind,
  concurrency: 1,
  async handle(server, { commit, until }) {
    if (typeof until !== 'number' || until < server.clock.now()) return;
    await publish({ topic: 'public_broadcast', payload: JSON.stringify({ type: 'reload', commit }) });
  },
});
