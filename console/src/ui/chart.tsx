import { useEffect, useRef } from 'react';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import styles from './chart.module.css';
import { useTheme } from './theme.ts';

/** Values over time. */
export interface ChartProps {
  /** What it shows, for those who do not see it: with the newest value and the range. */
  readonly label: string;
  /** In seconds since the epoch, ascending. */
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
  /** The name of the values, shown with the one under the pointer. */
  readonly name: string;
  /** Behind each value: ` °C`. */
  readonly unit?: string;
  /** The shown span, in seconds since the epoch. */
  readonly span: readonly [from: number, to: number];
}

const height = 180;

/** A line chart. Its library is loaded with the first one. */
export function Chart({ label, times, values, name, unit = '', span: [from, to] }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let plot: uPlot | null = null;
    let isShown = true;
    const resize = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height }));
    // Read again in each theme, which the canvas does not follow by itself.
    const style = getComputedStyle(document.documentElement);
    const color = (token: string): string => style.getPropertyValue(token).trim() || theme;
    const axis = { stroke: color('--ink-soft'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } };
    void import('uplot').then(({ default: Plot }) => {
      if (!isShown) return;
      plot = new Plot(
        {
          width: element.clientWidth,
          height,
          cursor: { drag: { x: false, y: false } },
          legend: { live: true },
          scales: { x: { time: true, range: [from, to] } },
          axes: [axis, { ...axis, size: 56 }],
          series: [
            {},
            {
              label: name,
              stroke: color('--accent'),
              width: 2,
              spanGaps: true,
              points: { show: times.length < 40 },
              value: (_plot, value) => (value == null ? '–' : `${Math.round(value * 10) / 10}${unit}`),
            },
          ],
        },
        [[...times], [...values]],
        element,
      );
      resize.observe(element);
    });
    return () => {
      isShown = false;
      resize.disconnect();
      plot?.destroy();
    };
  }, [times, values, name, unit, from, to, theme]);
  return <div ref={frame} role="img" aria-label={label} className={styles.chart} />;
}
