import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

/** How long a thread rests, in ms: V8 finishes to compile its code within a fraction of that. */
const restTime = 1_000;

/** Ends a thread that computes nothing any more, or soon: Node 20 aborts the process if V8 still compiles code of a thread that ends. [ADR 116] */
export async function endRested(worker: Worker): Promise<void> {
  await sleep(restTime);
  await worker.terminate();
}
