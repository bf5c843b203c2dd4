import { useEffect, useRef, useState } from 'react';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import styles from './chart.module.css';
import { scaleOf } from './chart-scale.ts';
import { digitsOf, tickOf } from './chart-ticks.ts';
import { measured } from './numbers.ts';
import { uiText } from './text.ts';
import { useTheme } from './theme.ts';
import { formatInstant } from './time-format.ts';
import { showProblem } from './toasts.tsx';

/** Values over time. */
export interface ChartProps {
  /** The accessible description, with the newest value and the range. */
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
  /** The time zone of its times. */
  readonly zone: string;
  /** Times of events, which are marked by lines, in seconds since the epoch. */
  readonly marks?: readonly number[];
}

const noMarks: readonly number[] = [];

const height = 180;

/** Formats a time, in seconds since the epoch. */
const formatted = (time: number, zone: string): string =>
  formatInstant(time * 1000, zone, { dateStyle: 'medium', timeStyle: 'short' });

const shown = (value: number | null | undefined, unit: string): string => (value == null ? '–' : measured(value, unit));

/** A line chart with its values as a table. Its library is loaded with the first one. */
export function Chart(props: ChartProps) {
  const { times, values, name, unit = '', zone } = props;
  const text = uiText();
  const [isTable, setTable] = useState(false);
  return (
    <>
      {/* The canvas is drawn anew when times are to be written differently. */}
      <Drawing key={formatted(0, zone)} {...props} />
      <details onToggle={({ currentTarget }) => setTable(currentTarget.open)}>
        <summary>{text.asTable}</summary>
        {isTable ? (
          <div className={styles.values}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{text.time}</th>
                  <th scope="col">{name}</th>
                </tr>
              </thead>
              <tbody>
                {times.map((time, index) => (
                  <tr key={time}>
                    <td>{formatted(time, zone)}</td>
                    <td>{shown(values[index], unit)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        ) : null}
      </details>
    </>
  );
}

function Drawing({ label, times, values, name, unit = '', span: [from, to], zone, marks = noMarks }: ChartProps) {
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
    import('uplot')
      .then(({ default: Plot }) => {
        if (!isShown) return;
        plot = new Plot(
          {
            width: element.clientWidth,
            height,
            cursor: { drag: { x: false, y: false } },
            legend: { live: true },
            tzDate: (time) => Plot.tzDate(new Date(time * 1000), zone),
            scales: { x: { time: true, range: [from, to] }, y: scaleOf(unit) },
            axes: [
              {
                ...axis,
                values: (_plot, splits, _axis, _space, step) =>
                  splits.map((time) => tickOf(time, { step, zone, format: formatInstant })),
              },
              {
                ...axis,
                size: 56,
                values: (_plot, splits, _axis, _space, step) =>
                  splits.map((value) => measured(value, '', digitsOf(step))),
              },
            ],
            // The values under the pointer, where there is one.
            hooks: {
              setCursor: [({ cursor }) => element.toggleAttribute('data-hovered', cursor.idx != null)],
              drawClear: [
                ({ ctx, bbox, valToPos }) => {
                  ctx.fillStyle = color('--info');
                  for (const mark of marks)
                    ctx.fillRect(Math.round(valToPos(mark, 'x', true)), bbox.top, 2, bbox.height);
                },
              ],
            },
            series: [
              {
                label: uiText().time,
                value: (_plot, time) => (time == null ? '–' : formatted(time, zone)),
              },
              {
                label: name,
                stroke: color('--accent'),
                width: 2,
                spanGaps: true,
                points: { show: times.length < 40 },
                value: (_plot, value) => shown(value, unit),
              },
            ],
          },
          [[...times], [...values]],
          element,
        );
        resize.observe(element);
      })
      .catch(showProblem);
    return () => {
      isShown = false;
      resize.disconnect();
      plot?.destroy();
    };
  }, [times, values, name, unit, from, to, zone, marks, theme]);
  return <div ref={frame} role="img" aria-label={label} className={styles.chart} />;
}
