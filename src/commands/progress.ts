import { print } from './terminal.ts';

/** Time between two lines of progress, in ms. */
const interval = 2000;

/** Returns a function that prints the progress of long work from time to time: `Copied 500 of 2000 rows (25 %).` */
export function progressPrinter(things: string): (verb: string, done: number, all: number) => void {
  let printedAt = performance.now();
  return (verb, done, all) => {
    if (performance.now() - printedAt < interval) return;
    printedAt = performance.now();
    print(`${verb} ${done} of ${all} ${things} (${Math.floor((100 * done) / all)} %).`);
  };
}
