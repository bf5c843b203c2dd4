import { firstReads, Reads } from './first-requests.ts';
import { getSession } from './session.ts';

let session = getSession();
let reads = firstReads;

/** Returns the reads of the current session. */
export function currentReads(): Reads {
  if (session !== getSession()) {
    session = getSession();
    reads = new Reads();
  }
  return reads;
}
