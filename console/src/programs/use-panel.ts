import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import type { View } from './panel-views.ts';

const programRoute = getRouteApi('/garden/programs/$id');

declare module '@tanstack/history' {
  interface HistoryState {
    /** The entry was added when a panel opened, so the one before it has none. */
    isPanel?: boolean;
  }
}

/** The content of the panel besides the steps; none: it is closed. */
export interface PanelSearch {
  readonly step?: number;
  readonly view?: View;
}

/**
 * Shows the panel of a program's editor, which covers the steps on a phone. An open panel is one entry of the browser's history:
 * back closes it, as `close` does.
 */
export function usePanel(id: number) {
  const navigate = useNavigate();
  const router = useRouter();
  const { step, view } = programRoute.useSearch();
  const isOpen = step !== undefined || view !== undefined;
  /** Options of a navigation that opens the panel or changes its content. */
  const entry = { replace: isOpen, state: isOpen ? (true as const) : { isPanel: true } };
  const show = (search: PanelSearch): void => {
    const isClosing = search.step === undefined && search.view === undefined;
    const options = isClosing ? { replace: true } : entry;
    void navigate({ to: '/programs/$id', params: { id: String(id) }, search, ...options });
  };
  const close = (): void => {
    if (router.state.location.state.isPanel) router.history.back();
    else show({});
  };
  return { step, view, entry, show, close };
}

/** Moves the focus to the row of a step after its panel has been closed. `openKey`: null if no step is open. */
export function useFocusReturn(list: RefObject<HTMLElement | null>, openKey: string | null, hasView: boolean): void {
  const last = useRef<string | null>(null);
  useEffect(() => {
    const closed = openKey === null && !hasView ? last.current : null;
    last.current = openKey;
    if (closed !== null && !list.current?.contains(document.activeElement)) rowOf(list.current, closed)?.focus();
  }, [list, openKey, hasView]);
}

const rowOf = (list: HTMLElement | null, key: string): HTMLElement | null | undefined =>
  list?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
