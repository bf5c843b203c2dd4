/** How long a page may scroll on after a wheel or a finger moved it, in ms. */
const scrollTime = 500;
let movedAt = Number.NEGATIVE_INFINITY;

/** The pressed element: a scroll bar is a part of the element that it scrolls. */
let pressed: EventTarget | null = null;

const noteMove = (): void => {
  movedAt = performance.now();
};

/** Browsers do not say when a scroll bar is released; the pointer then moves without a button. */
function notePress(event: PointerEvent): void {
  pressed = event.type === 'pointerdown' ? event.target : event.buttons === 0 ? null : pressed;
}

function onScroll(event: Event): void {
  const field = document.activeElement;
  if (performance.now() - movedAt < scrollTime || event.target === pressed) return;
  if (!field?.matches('[role=combobox][aria-expanded=true]')) return;
  if (!(event.target instanceof Node && event.target.contains(field))) return;
  event.stopImmediatePropagation();
  // Lists find their place again when the size of the window changes.
  dispatchEvent(new Event('resize'));
}

/**
 * Keeps the list of a combo box open where the page scrolls under it by itself: when the field is scrolled into view as it gets the
 * focus, or something above it changes its height. It closes when a person scrolls, also by the
 * scroll bar. Call it once, before the first list opens.
 */
export function keepListsOpen(): void {
  addEventListener('wheel', noteMove, { capture: true, passive: true });
  addEventListener('touchmove', noteMove, { capture: true, passive: true });
  addEventListener('pointerdown', notePress, true);
  addEventListener('pointerup', notePress, true);
  addEventListener('pointermove', notePress, { capture: true, passive: true });
  addEventListener('scroll', onScroll, true);
}
