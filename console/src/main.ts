import { begun } from './data/first-requests.ts';

// What reads the session when it is loaded finds the resumed one.
void begun.then(() => import('./start.tsx'));
