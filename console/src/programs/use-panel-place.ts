import { type RefObject, useEffect, useLayoutEffect } from 'react';

/** Puts a panel beside the part of the page that is in view when its content changes: the steps beside it may be long. */
export function usePanelPlace(panel: RefObject<HTMLElement | null>, content: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: other content begins at another place
  useLayoutEffect(() => {
    const element = panel.current;
    const [column, page] = [element?.parentElement, element?.closest('main')];
    if (!element || !column || !page) return;
    const hidden = page.getBoundingClientRect().top - column.getBoundingClientRect().top;
    element.style.setProperty('--panel-place', `${hidden}px`);
  }, [panel, content]);
  useEffect(() => {
    const element = panel.current;
    if (!element) return;
    const observer = new ResizeObserver(() => element.style.setProperty('--panel-height', `${element.offsetHeight}px`));
    observer.observe(element);
    return () => observer.disconnect();
  }, [panel]);
}
