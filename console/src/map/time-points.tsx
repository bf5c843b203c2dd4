import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import type { Bed } from '../data/bed.ts';
import { useRecords } from '../data/collections.ts';
import { useCrops } from '../data/crops.ts';
import { useDevice } from '../data/singles.ts';
import { cropPictures } from '../ui/crop-pictures.ts';
import { usePrinting } from '../ui/printing.ts';
import type { MapTime } from './map-time.ts';
import { TimeDrawing } from './time-drawing.ts';
import { eachPointAt, endOfNextAutumn, timeGarden } from './time-garden.ts';
import styles from './time-points.module.css';
import type { Viewport } from './viewport.ts';

/** How long the history counts as read, in ms. */
const staleTime = 60_000;

const spanQuery = (to: string) =>
  queryOptions({
    queryKey: ['garden over time', to],
    queryFn: () => bodyOf(api.GET('/api/garden', { params: { query: { to } } })),
    staleTime,
    refetchOnMount: 'always',
  });

/** Returns the garden from the beginning of its history to the next autumn. Suspends. */
export function useTimeSpan() {
  const { lat } = useDevice();
  const [opened] = useState(Date.now);
  const { data } = useSuspenseQuery(spanQuery(new Date(endOfNextAutumn(opened, (lat ?? 0) < 0)).toISOString()));
  const crops = useCrops();
  const curves = useRecords('curves');
  const garden = useMemo(() => timeGarden(data, { crops, curves }), [data, crops, curves]);
  return { span: data, garden, crops };
}

interface TimeCanvasProps {
  readonly time: MapTime;
  readonly viewport: Viewport;
  readonly bed: Bed;
}

/** The points of the garden at the time of the map. Suspends. */
export function TimeCanvas({ time: { store }, viewport, bed }: TimeCanvasProps) {
  const { span, garden } = useTimeSpan();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (!canvas.current) return;
    const drawing = new TimeDrawing(canvas.current, viewport, bed, garden, Date.parse(span.now));
    const show = (): void => drawing.show(store.get());
    show();
    const ends = [store.subscribe(show), viewport.subscribe(drawing.redraw)];
    const resized = new ResizeObserver(drawing.redraw);
    resized.observe(canvas.current);
    const themed = new MutationObserver(drawing.recolor);
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      for (const end of ends) end();
      resized.disconnect();
      themed.disconnect();
    };
  }, [store, viewport, bed, garden, span]);
  // The slider below takes room from the bed.
  useEffect(() => {
    const request = requestAnimationFrame(() => viewport.fit());
    return () => cancelAnimationFrame(request);
  }, [viewport]);
  return <canvas ref={canvas} className={styles.canvas} />;
}

/** The same on paper, where each is an element: a canvas would be coarse. Suspends. */
export function TimeMarks({ time: { store }, bed }: Omit<TimeCanvasProps, 'viewport'>) {
  const { span, garden } = useTimeSpan();
  if (!usePrinting()) return null;
  const marks: ReactNode[] = [];
  eachPointAt(garden, store.get(), Date.parse(span.now), ({ point, state, spread }) => {
    const [cx, cy] = bed.toScreen(point.x, point.y);
    const radius = spread / 2;
    const picture = point.kind === 'Plant' ? cropPictures[point.slug] : undefined;
    marks.push(
      <g key={point.id} opacity={state === 'planned' ? 0.5 : 1}>
        <circle cx={cx} cy={cy} r={Math.max(radius, 14)} className={styles[point.kind]} />
        {picture ? <image href={picture} x={cx - radius} y={cy - radius} width={spread} height={spread} /> : null}
      </g>,
    );
  });
  return <g>{marks}</g>;
}
