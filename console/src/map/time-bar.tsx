import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useRecords } from '../data/collections.ts';
import { cropName } from '../data/crops.ts';
import { useNow, useZone } from '../data/garden-time.ts';
import { dayAt } from '../data/zoned-days.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Pause, Play, X } from '../ui/icons.tsx';
import { formatInstant } from '../ui/time-format.ts';
import type { MapTime } from './map-time.ts';
import styles from './time-bar.module.css';
import { countsAt, type GardenSpan, type Tap, tappedAt } from './time-garden.ts';
import { useTimeSpan } from './time-points.tsx';
import { timeText } from './time-text.ts';

const dayLength = 86_400_000;
/** Days that Page up and Page down go. */
const pageDays = 30;
/** How long playing takes from one end to the other, in ms. */
const playTime = 24_000;

const events = ['planted', 'removed', 'moved', 'ripe', 'photos', 'runs', 'waterings'] as const;

/** The marks of events, from the top of the slider down. */
const markedEvents = [
  ['planted', styles.planted],
  ['ripe', styles.ripe],
  ['photos', styles.photos],
  ['waterings', styles.waterings],
] as const;

/** Marks days with events along the slider. */
function Marks({ span: { begins_at, days = [], to = '' } }: { readonly span: GardenSpan }) {
  const [begin, end] = [Date.parse(begins_at), Date.parse(to)];
  const placeOf = (date: string): string =>
    (((Date.parse(date) + dayLength / 2 - begin) / (end - begin)) * 1000).toFixed(1);
  return (
    <svg className={styles.marks} viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
      {markedEvents.map(([name, className], row) => (
        <path
          key={name}
          className={className}
          d={days.flatMap((day) => (day[name] ? [`M${placeOf(day.date)} ${row * 5}v4`] : [])).join('')}
        />
      ))}
    </svg>
  );
}

/** Labels of months at most. */
const maxMonths = 8;

/** Names months along the slider. */
function Months({ begin, end }: { readonly begin: number; readonly end: number }) {
  const first = new Date(begin);
  const starts: number[] = [];
  for (let month = 1; ; month++) {
    const start = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + month, 1);
    if (start > end) break;
    starts.push(start);
  }
  const every = Math.ceil(starts.length / maxMonths);
  return (
    <div className={styles.months} aria-hidden="true">
      {starts
        .filter((_, index) => index % every === 0)
        .map((start) => (
          <span key={start} style={{ left: `${((start - begin) / (end - begin)) * 100}%` }}>
            {formatInstant(start, 'UTC', { month: 'short' })}
          </span>
        ))}
    </div>
  );
}

/** Crops that are named at most. */
const maxNames = 4;

/** What is there and happens at the time, in words. */
function Summary({ at, span, garden, crops }: { readonly at: number } & ReturnType<typeof useTimeSpan>) {
  const text = timeText();
  const zone = useZone();
  const begin = Date.parse(span.begins_at);
  const counts = useMemo(() => countsAt(garden, at, Date.parse(span.now)), [garden, at, span]);
  const date = dayAt(new Date(at).toISOString(), zone);
  const day = span.days?.find((each) => each.date === date);
  const there = counts.growing + counts.ripe;
  const parts = [
    ...(at - begin < dayLength ? [text.begins(formatInstant(begin, zone, { dateStyle: 'long' }))] : []),
    there + counts.planned === 0 ? text.nothing : text.plants(there),
    ...(counts.ripe > 0 ? [text.ripe(counts.ripe)] : []),
    ...(counts.planned > 0 ? [text.planned(counts.planned)] : []),
    ...events.flatMap((name) => {
      const count = day?.[name];
      return count ? [text.events[name](count)] : [];
    }),
  ];
  const names = span.sowing
    .filter(({ from, to }) => from <= date && date <= to)
    .flatMap(({ crop: slug, indoors }) => {
      const crop = crops.get(slug);
      return crop ? [indoors ? text.indoors(cropName(crop)) : cropName(crop)] : [];
    });
  const shown = names.length > maxNames ? [...names.slice(0, maxNames), text.more(names.length - maxNames)] : names;
  return (
    <p className={styles.summary}>
      {parts.join(' · ')}
      {shown.length > 0 ? <> · {text.toSow(shown)}</> : null}
    </p>
  );
}

interface TappedPointProps extends ReturnType<typeof useTimeSpan> {
  readonly at: number;
  readonly tap: Tap;
}

/** The point that is at the place of a tap at the time, in words. */
function TappedPoint({ at, tap, span, garden }: TappedPointProps) {
  const text = timeText();
  const points = useRecords('points');
  const then = useMemo(() => tappedAt(garden, at, Date.parse(span.now), tap), [garden, at, span, tap]);
  if (!then) return null;
  const { point, state, spread } = then;
  // A page shows a plant or weed that is still there.
  const hasPage = point.kind === 'Plant' || point.kind === 'Weed' ? points.some(({ id }) => id === point.id) : false;
  return (
    <>
      {hasPage ? (
        <Link to="/plants/$id" params={{ id: String(point.id) }}>
          {point.name}
        </Link>
      ) : (
        point.name
      )}
      {text.pointThen(state && text.states[state], Math.round(spread))}
    </>
  );
}

/** How often words follow a moving slider, in ms. */
const wordsInterval = 120;

/** Returns the shown time, a few times a second: words need not follow each frame. */
function useSlowTime({ store }: MapTime): number {
  const [at, setAt] = useState(store.get);
  useEffect(() => {
    let timer: number | undefined;
    const end = store.subscribe(() => {
      timer ??= window.setTimeout(() => {
        timer = undefined;
        setAt(store.get());
      }, wordsInterval);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [store]);
  return at;
}

/** Moves a time with the clock until it reaches the end. Returns whether it does, and the switch. */
function usePlaying({ store, set }: MapTime, begin: number, end: number) {
  const [isPlaying, setPlaying] = useState(false);
  const rest = useEffectEvent(() => set(store.get()));
  useEffect(() => {
    if (!isPlaying) return;
    let last = performance.now();
    let request = requestAnimationFrame(function step(now) {
      const next = Math.min(end, store.get() + ((now - last) / playTime) * (end - begin));
      last = now;
      store.set(next);
      if (next < end) request = requestAnimationFrame(step);
      else {
        setPlaying(false);
        rest();
      }
    });
    return () => cancelAnimationFrame(request);
  }, [isPlaying, store, begin, end]);
  const toggle = (): void => {
    if (isPlaying) set(store.get());
    else if (store.get() >= end - dayLength) store.set(begin);
    setPlaying(!isPlaying);
  };
  return { isPlaying, toggle, stop: () => setPlaying(false) };
}

interface TimeBarProps {
  readonly time: MapTime;
  /** The last tap on the bed. */
  readonly tap: Tap | null;
}

/** The slider below the map: the garden from its oldest change to the next autumn. Suspends. */
export function TimeBar({ time, tap }: TimeBarProps) {
  const text = timeText();
  const zone = useZone();
  const data = useTimeSpan();
  const { span } = data;
  const { store, set } = time;
  const now = useNow();
  const [begin, end] = [Date.parse(span.begins_at), Date.parse(span.to ?? span.ends_at)];
  const at = Math.min(end, Math.max(begin, useSlowTime(time)));
  const playing = usePlaying(time, begin, end);
  const input = useRef<HTMLInputElement>(null);
  const dateOf = (each: number): string => formatInstant(each, zone, { dateStyle: 'long' });
  const date = dateOf(at);
  const isToday = date === dateOf(now);
  const spoken = (each: number): string => formatInstant(each, zone, { dateStyle: 'full' });
  const follow = useEffectEvent(() => {
    const slider = input.current;
    if (!slider) return;
    const shown = Math.min(end, Math.max(begin, store.get()));
    slider.value = String(shown);
    slider.setAttribute('aria-valuetext', spoken(shown));
  });
  useEffect(() => {
    follow();
    return store.subscribe(() => follow());
  }, [store]);
  const rest = useEffectEvent(() => set(store.get()));
  useEffect(() => {
    const slider = input.current;
    const rests = (): void => rest();
    // React's handler is called with each movement.
    slider?.addEventListener('change', rests);
    return () => slider?.removeEventListener('change', rests);
  }, []);
  const move = (to: number): void => {
    playing.stop();
    store.set(Math.min(end, Math.max(begin, to)));
  };
  const pressed = (event: KeyboardEvent): void => {
    const days: Readonly<Record<string, number>> = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -pageDays,
      PageUp: pageDays,
    };
    const step = days[event.key];
    if (step !== undefined) move(store.get() + step * dayLength);
    else if (event.key === 'Home') move(begin);
    else if (event.key === 'End') move(end);
    else return;
    event.preventDefault();
  };
  return (
    <section className={styles.bar} aria-label={text.bar}>
      <div className={styles.line}>
        <IconButton
          label={playing.isPlaying ? text.pause : text.play}
          icon={playing.isPlaying ? <Pause /> : <Play />}
          onPress={playing.toggle}
        />
        <h2 className={styles.date}>{date}</h2>
        <p className={styles.message}>{isToday ? text.readOnlyToday : text.readOnly}</p>
        <Button
          onPress={() => {
            playing.stop();
            store.set(Date.now());
            set('now');
          }}
        >
          {text.today}
        </Button>
        <IconButton label={text.close} icon={<X />} onPress={() => set(undefined)} />
      </div>
      <div className={styles.slider}>
        <input
          ref={input}
          type="range"
          min={begin}
          max={end}
          step="any"
          defaultValue={at}
          aria-label={text.slider}
          aria-valuetext={spoken(at)}
          title={text.keys}
          onInput={({ currentTarget }) => move(Number(currentTarget.value))}
          onKeyDown={pressed}
          onKeyUp={({ key }) => (key === 'Tab' ? undefined : set(store.get()))}
        />
        <span
          className={styles.now}
          style={{ left: `${((Math.min(end, Math.max(begin, now)) - begin) / (end - begin)) * 100}%` }}
          aria-hidden="true"
        />
        <Marks span={span} />
        <Months begin={begin} end={end} />
      </div>
      <Summary at={at} {...data} />
      {/* Screen readers announce what changes in an element that was there. */}
      <p role="status" className={styles.tapped}>
        {tap ? <TappedPoint at={at} tap={tap} {...data} /> : null}
      </p>
    </section>
  );
}
