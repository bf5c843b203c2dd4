import { vi } from 'vitest';
import type { Json } from '../../support/json.ts';
import type { Driver } from './driver.ts';

/** In ms. */
const patience = { timeout: 100_000, interval: 250 } as const;

/** Returns the middle of the first element with a name that a click would reach and that stays where it is; null if there is none. Runs in the page. */
const place = `async (name, kinds) => {
  const nameOf = (element) =>
    (element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent).trim();
  for (const element of document.querySelectorAll(kinds)) {
    if (nameOf(element) !== name || element.matches(':disabled, [aria-disabled=true]')) continue;
    element.scrollIntoView({ block: 'center', inline: 'center' });
    const { left, top, width, height } = element.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2].map(Math.round);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { left: nextLeft, top: nextTop } = element.getBoundingClientRect();
    const isStill = left === nextLeft && top === nextTop;
    if (isStill && element.contains(document.elementFromPoint(x, y))) return [x, y];
  }
  return null;
}`;

const [pressed, filled] = ['a, button, summary, [role=button], [role=row]', 'input, textarea'];

/** What a person does with a page, by the names and the texts that it shows. Errors have the text of the page. */
export class Visitor {
  readonly #driver: Driver;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** Clicks a button, a link or a row, once it can be reached. */
  press(name: string): Promise<void> {
    return this.#click(name, pressed);
  }

  /** Types into an empty field. */
  async fill(label: string, text: string): Promise<void> {
    await this.#click(label, filled);
    const actions = [...text].flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })));
    await this.#driver.perform([{ type: 'key', id: 'keys', actions }]);
  }

  /** Waits for a text. */
  sees(text: string): Promise<void> {
    return this.waitFor(`document.body.innerText.includes(${JSON.stringify(text)})`);
  }

  /** Waits until an expression of the page is neither false nor null. */
  async waitFor(expression: string): Promise<void> {
    await this.#read(expression);
  }

  #read(expression: string): Promise<Json> {
    return vi.waitFor(async () => {
      const value = await this.#driver.evaluate(expression);
      if (value === null || value === false)
        throw new Error(`${expression}\n${await this.#driver.evaluate('location.href + document.body.innerText')}`);
      return value;
    }, patience);
  }

  async #click(name: string, kinds: string): Promise<void> {
    const [x, y] = (await this.#read(`(${place})(${JSON.stringify(name)}, ${JSON.stringify(kinds)})`)) as number[];
    const actions = [
      { type: 'pointerMove', x, y },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.#driver.perform([{ type: 'pointer', id: 'mouse', actions }]);
  }
}
