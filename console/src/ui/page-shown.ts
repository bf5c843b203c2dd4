import { useEffect, useState } from 'react';

/** How long the first page may take to be shown, in ms: later work begins then in any case. */
const maxWait = 3000;

/** A pause instead, in browsers without `requestIdleCallback`, in ms. */
const pause = 200;

/** Not all browsers have it. */
interface Idle {
  readonly requestIdleCallback?: (run: () => void, options: { readonly timeout: number }) => unknown;
}

let show: () => void = () => undefined;
const firstPage = new Promise<void>((resolve) => {
  show = resolve;
  setTimeout(resolve, maxWait);
});

/** Removes the first picture, which the HTML of the page has. */
export const endFirstPicture = (): void => document.querySelector('.first')?.remove();

/** Pages call it when their content is shown. */
export function pageShown(): void {
  endFirstPicture();
  show();
}

const { requestIdleCallback: whenIdle = (run) => setTimeout(run, pause) } = globalThis as typeof globalThis & Idle;

/** Resolves when the first page is shown and the browser is idle: the time to load the rest. */
export const whenPageShown: Promise<void> = firstPage.then(
  () => new Promise((resolve) => whenIdle(resolve, { timeout: maxWait })),
);

/** Whether it is the time for the rest, see {@link whenPageShown}. */
export function useIsPageShown(): boolean {
  const [isShown, setShown] = useState(false);
  useEffect(() => void whenPageShown.then(() => setShown(true)), []);
  return isShown;
}
