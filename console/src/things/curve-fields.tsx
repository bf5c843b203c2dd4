import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { type CurveDay, curveDays } from '../../../src/core/growth.ts';
import { Actions } from '../ui/actions.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { FieldNote } from '../ui/field-notes.tsx';
import { NumberField } from '../ui/fields.tsx';
import { Plus, Trash2 } from '../ui/icons.tsx';
import { Notice } from '../ui/page.tsx';
import type { SpecialFieldsProps } from './group-fields.tsx';
import { thingsText } from './text.ts';
import styles from './things.module.css';

/** Size of the drawing, and the room for its numbers, in its own units. */
const size = { width: 480, height: 240, left: 44, bottom: 24, top: 12, right: 12 } as const;
/** A curve has at most so many days with a value of its own. */
const maxDays = 10;
/** The first values of a new curve. */
export const firstCurve: Readonly<Record<string, number>> = { 1: 0, 60: 500 };
/** How far a key moves a point, in parts of the height of the drawing. */
const keySteps: Readonly<Record<string, number>> = { ArrowUp: 0.01, ArrowDown: -0.01, PageUp: 0.1, PageDown: -0.1 };

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= value) ?? value;
}

/** A curve as a drawing whose points can be dragged, and as numbers. */
export function CurveFields({ values, onChange, isDisabled }: SpecialFieldsProps) {
  const text = thingsText().curve;
  const drawing = useRef<SVGSVGElement>(null);
  /** The point that is being dragged, and the height of the drawing, which its own value would change under the pointer. */
  const [dragged, setDragged] = useState<{ readonly index: number; readonly top: number } | null>(null);
  const data = values.data as Readonly<Record<string, number>>;
  const { days, otherKeys } = curveDays(data);
  const unit = values.type === 'water' || values.type === undefined ? 'ml' : 'mm';
  const lastDay = Math.max(10, ...days.map(({ day }) => day));
  const top = dragged?.top ?? roundUp(Math.max(10, ...days.map(({ value }) => value)));
  const x = (day: number): number => size.left + (day / lastDay) * (size.width - size.left - size.right);
  const y = (value: number): number =>
    size.height - size.bottom - (value / top) * (size.height - size.bottom - size.top);
  const set = (next: readonly CurveDay[], others = otherKeys): void =>
    onChange({
      data: Object.fromEntries([
        ...next.map(({ day, value }) => [day, value] as const),
        ...others.map((key) => [key, data[key]] as const),
      ]),
    });
  const setValue = (index: number, value: number): void =>
    set(days.map((each, i) => (i === index ? { ...each, value: Math.max(0, Math.round(value)) } : each)));
  const drag = (event: PointerEvent): void => {
    const box = drawing.current?.getBoundingClientRect();
    if (!dragged || !box) return;
    const height = ((event.clientY - box.top) / box.height) * size.height;
    setValue(dragged.index, ((size.height - size.bottom - height) / (size.height - size.bottom - size.top)) * top);
  };
  const move = (event: KeyboardEvent, index: number, value: number): void => {
    const step = keySteps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    // The page would scroll.
    event.preventDefault();
    // A step of less than one would be rounded to none.
    setValue(index, value + Math.sign(step) * Math.max(1, Math.abs(step) * top));
  };
  return (
    <>
      <FieldNote name="data" />
      <svg
        ref={drawing}
        className={styles.curve}
        viewBox={`0 0 ${size.width} ${size.height}`}
        role="group"
        aria-label={text.drawing}
        onPointerMove={drag}
        onLostPointerCapture={() => setDragged(null)}
      >
        <line className={styles.axis} x1={size.left} x2={size.width - size.right} y1={y(0)} y2={y(0)} />
        <line className={styles.axis} x1={size.left} x2={size.left} y1={y(0)} y2={size.top} />
        {[0, top / 2, top].map((value) => (
          <text key={value} className={styles.axisText} x={size.left - 6} y={y(value) + 4} textAnchor="end">
            {value}
          </text>
        ))}
        {[0, Math.round(lastDay / 2), lastDay].map((day) => (
          <text key={day} className={styles.axisText} x={x(day)} y={size.height - 6} textAnchor="middle">
            {day}
          </text>
        ))}
        <polyline
          className={styles.curveLine}
          points={days.map(({ day, value }) => `${x(day)},${y(value)}`).join(' ')}
        />
        {days.map(({ day, value }, index) => (
          <circle
            key={day}
            className={styles.handle}
            cx={x(day)}
            cy={y(value)}
            r={7}
            role="slider"
            tabIndex={isDisabled ? undefined : 0}
            aria-disabled={isDisabled}
            aria-label={text.dayNumber(day)}
            aria-orientation="vertical"
            aria-valuemin={0}
            aria-valuemax={top}
            aria-valuenow={value}
            aria-valuetext={`${value} ${unit}`}
            onKeyDown={(event) => move(event, index, value)}
            onPointerDown={(event) => {
              if (isDisabled) return;
              drawing.current?.setPointerCapture(event.pointerId);
              setDragged({ index, top });
            }}
          />
        ))}
      </svg>
      {days.map(({ day, value }, index) => (
        <div key={day} className={styles.day}>
          <NumberField
            label={text.day}
            value={day}
            minValue={1}
            onChange={(next) => {
              const isFree = !days.some((each, i) => i !== index && each.day === next);
              if (next >= 1 && isFree)
                set(days.map((each, i) => (i === index ? { ...each, day: Math.round(next) } : each)));
            }}
          />
          <NumberField
            label={text.value(unit)}
            value={value}
            minValue={0}
            onChange={(next) => setValue(index, next || 0)}
          />
          <IconButton
            label={text.removeDay(day)}
            icon={<Trash2 />}
            isDisabled={isDisabled || days.length <= 2}
            onPress={() => set(days.filter((_, i) => i !== index))}
          />
        </div>
      ))}
      {otherKeys.map((key) => (
        <Notice key={key} tone="danger">
          <p>{text.noDay(key, data[key] ?? 0)}</p>
          {isDisabled ? null : (
            <Button
              icon={<Trash2 />}
              onPress={() =>
                set(
                  days,
                  otherKeys.filter((other) => other !== key),
                )
              }
            >
              {text.removeKey(key)}
            </Button>
          )}
        </Notice>
      ))}
      <Actions>
        <Button
          icon={<Plus />}
          isDisabled={isDisabled || days.length >= maxDays}
          onPress={() => set([...days, { day: lastDay + 10, value: days.at(-1)?.value ?? 0 }])}
        >
          {text.addDay}
        </Button>
      </Actions>
    </>
  );
}
