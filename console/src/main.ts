import { begun } from './data/first-requests.ts';
import { showNoAnswer } from './ui/no-answer.ts';

/** After this time without an answer the page says so, in ms. */
const patience = 3000;

const timer = setTimeout(showNoAnswer, patience);
// What reads the session when it is loaded finds the resumed one.
void begun.then(() => {
  clearTimeout(timer);
  return import('./start.tsx');
});
