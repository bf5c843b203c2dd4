/** Rows of lists: the next one takes the focus of one that was removed. */
const lists = 'ul, ol, tbody';
const focusable = 'a[href], button:not([disabled])';
/** Elements that take the focus in a part of a page where there is no next row. */
const heirs = 'h1, h2, h3, [data-heir]';

type Focusable = HTMLElement | SVGElement;

/** The last focused element with its ancestors, innermost first, and its index in the innermost list. */
interface Place {
  readonly element: Focusable;
  readonly around: readonly Element[];
  readonly list: Element | undefined;
  readonly index: number;
}

function placeOf(element: Focusable): Place {
  const around: Element[] = [];
  for (let each = element.parentElement; each && each !== document.body; each = each.parentElement) around.push(each);
  const list = around.find((each) => each.matches(lists));
  const row = around[list ? around.indexOf(list) - 1 : -1] ?? element;
  return { element, around, list, index: list ? [...list.children].indexOf(row) : -1 };
}

const isShown = (element: Element): boolean => element.getClientRects().length > 0;

const heirIn = (part: Element): HTMLElement | null => {
  // The frame around a page has the emergency stop before its content, where a key that was meant for the page would press it.
  const heir = (part.querySelector('main') ?? part).querySelector<HTMLElement>(heirs);
  if (heir && !heir.matches('button, [tabindex]')) heir.tabIndex = -1;
  return heir;
};

/** Returns the element that gets the focus when the focused one is removed: the next row, or the heading of the part of the page. */
function heirOf({ list, index, around }: Place): HTMLElement | null {
  if (list && isShown(list)) {
    const row = list.children[Math.min(index, list.children.length - 1)];
    const next = row?.querySelector<HTMLElement>(focusable);
    if (next) return next;
  }
  for (const part of around) {
    const heir = isShown(part) ? heirIn(part) : null;
    if (heir) return heir;
  }
  return null;
}

/**
 * Gives the focus to the nearest element when the element that has it is removed: browsers would begin at the top of the
 * document again. An element that was only hidden or disabled for a while gets it back. Call it once.
 */
export function returnLostFocus(): void {
  let last: Place | null = null;
  /** The last place that was not in a dialog. */
  let below: Place | null = null;
  let isChecking = false;

  const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body;
  const restore = (): void => {
    isChecking = false;
    if (!last || !isLost()) return;
    const { element } = last;
    if (element.isConnected) {
      if (isShown(element) && !element.matches(':disabled')) element.focus({ preventScroll: true });
      return;
    }
    const heir = heirOf(last) ?? (below && (isShown(below.element) ? below.element : heirOf(below)));
    (heir ?? heirIn(document.body))?.focus({ preventScroll: true });
  };
  addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement || target instanceof SVGElement) || target === document.body) return;
    last = placeOf(target);
    if (!target.closest('[role=dialog], [role=alertdialog], [role=listbox], [role=menu]')) below = last;
  });
  addEventListener('focusout', ({ target }) => {
    // A click on the background blurs the element; one that is removed, hidden or disabled loses the focus without a click.
    setTimeout(() => {
      if (last?.element === target && isLost() && isShown(last.element) && !last.element.matches(':disabled'))
        last = null;
    });
  });
  new MutationObserver(() => {
    if (isChecking || !last || !isLost()) return;
    isChecking = true;
    // Dialogs that close restore the focus themselves, in the next frame.
    requestAnimationFrame(() => requestAnimationFrame(restore));
  }).observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['style', 'hidden', 'disabled'],
  });
}
