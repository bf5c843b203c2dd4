import { Store } from './store.ts';

/** How often the connection to the server was made: a message that it was lost no longer holds after that. */
export const connectionReturns = new Store(0);
