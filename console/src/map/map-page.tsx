import { useQuery } from '@tanstack/react-query';
import {
  type MouseEvent,
  Suspense,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Bed } from '../data/bed.ts';
import { useRecords } from '../data/collections.ts';
import { FirstRobot, StartVirtualRobot, useHasEndedRobot, useHasNoRobot } from '../data/first-robot.tsx';
import { useNow, useZone } from '../data/garden-time.ts';
import { useDevice, useGarden, useMayWrite } from '../data/singles.ts';
import { dataText } from '../data/text.ts';
import { virtualRobotQuery } from '../data/virtual-robot.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { useDraft } from '../ui/draft.ts';
import { X } from '../ui/icons.tsx';
import { later } from '../ui/later.ts';
import { usePageTitle } from '../ui/page.tsx';
import { useIsPageShown } from '../ui/page-shown.ts';
import { usePrinting } from '../ui/printing.ts';
import { useShortcuts } from '../ui/shortcuts.ts';
import { formatInstant } from '../ui/time-format.ts';
import { useAddition } from './addition-state.ts';
import { MoistureLayer, ReadingLayer, SoilHeightLayer, SpreadLayer, ZoneLayer } from './garden-layers.tsx';
import { useGestures } from './gestures.ts';
import { GridLabels, Soil } from './grid.tsx';
import { type LayerSwitches, useLayerSwitches } from './layer-switches.ts';
import styles from './map.module.css';
import { tappedPoint, tapReach, useShownBed, useShownPoints, useToolNames } from './map-data.ts';
import { mapKeys } from './map-keys.ts';
import { useMapTime } from './map-time.ts';
import { MapTools, useBoxing, ZoomControls } from './map-tools.tsx';
import { type Moving, useMoving } from './moving.ts';
import { PhotoLayer } from './photo-layer.tsx';
import { PointMarks, SelectionRings } from './point-marks.tsx';
import type { Point } from './points.ts';
import { PrintSheet } from './print-sheet.tsx';
import { RobotLayer } from './robot-layer.tsx';
import { type Selection, useSelection } from './selection-state.ts';
import { mapText } from './text.ts';
import type { Tap } from './time-garden.ts';
import { Viewport } from './viewport.ts';

const TodayCard = later(
  async () => (await import('./today-card.tsx').catch(() => ({ TodayCard: () => null }))).TodayCard,
);
const MapPanel = later(async () => (await import('./map-panel.tsx')).MapPanel);
const TimeBar = later(async () => (await import('./time-bar.tsx')).TimeBar);
const TimeCanvas = later(async () => (await import('./time-points.tsx')).TimeCanvas);
const TimeMarks = later(async () => (await import('./time-points.tsx')).TimeMarks);

interface MessagesProps {
  readonly points: readonly Point[];
  readonly selection: Selection;
  readonly moved: Moving['distance'];
  readonly mayWrite: boolean;
}

/** The line above the bed: the current action, or the next step. */
function Messages({ points, selection: { panel, ids, place, open }, moved, mayWrite }: MessagesProps) {
  const text = mapText();
  const isPageShown = useIsPageShown();
  const isIdle = mayWrite && !panel && !place;
  const isMissing = ids.size > 0 && !points.some(({ id }) => ids.has(id));
  return (
    <div className={styles.messages}>
      {isPageShown && !panel && !place && ids.size === 0 ? (
        <Suspense fallback={null}>
          <TodayCard />
        </Suspense>
      ) : null}
      {moved ? (
        <p role="status" className={styles.status}>
          {text.movedBy(...moved)} <span data-for-keys>{text.movingKeys}</span>
        </p>
      ) : null}
      {points.length === 0 && isIdle ? <EmptyBed onAdd={() => open('plant')} /> : null}
      {isMissing ? (
        <p role="status" className={styles.status}>
          {text.notFound}
        </p>
      ) : null}
      {isIdle && ids.size === 0 ? <NoRobot /> : null}
    </div>
  );
}

/** How long a garden without points may still be in the making, in ms. */
const setUpTime = 60_000;

/** Leads from a bed without points to its first plant, unless the server is filling it: that of a demo garden, which has a virtual robot. */
function EmptyBed({ onAdd }: { readonly onAdd: () => void }) {
  const text = mapText();
  const now = useNow();
  const { account_seeded_at } = useDevice();
  const isNew = account_seeded_at !== null && now - Date.parse(account_seeded_at) < setUpTime;
  const { data, isLoading } = useQuery({ ...virtualRobotQuery, enabled: isNew });
  if (isLoading) return null;
  if (isNew && data?.running)
    return (
      <p role="status" className={styles.status}>
        {dataText().settingUp}
      </p>
    );
  return (
    <div className={styles.status}>
      <span>{text.empty}</span>
      <Button onPress={onAdd}>{text.addFirst}</Button>
    </div>
  );
}

interface SoilLayersProps extends Pick<LayerSwitches, 'shown'> {
  readonly bed: Bed;
  readonly points: readonly Point[];
  readonly shownPoints: readonly Point[];
}

/** The soil as it was measured last, and how much of it plants cover. */
const SoilLayers = ({ bed, points, shownPoints, shown }: SoilLayersProps) => (
  <>
    {shown('show_soil_interpolation_map') ? <SoilHeightLayer bed={bed} points={points} /> : null}
    <Suspense>{shown('show_moisture_interpolation_map') ? <MoistureLayer bed={bed} /> : null}</Suspense>
    <Suspense>{shown('show_spread') ? <SpreadLayer bed={bed} points={shownPoints} /> : null}</Suspense>
  </>
);

/** Whether a panel is open; at another time than now only what changes nothing in the garden. */
const hasPanel = ({ panel, place, ids }: Selection, isTime: boolean): boolean =>
  isTime ? panel === 'layers' : panel !== undefined || place !== null || ids.size > 0;

/** Returns the last tap on the garden over time, until its slider is closed, and a function that sets it. */
function useTap(isTime: boolean) {
  const [tap, setTap] = useState<Tap | null>(null);
  if (tap && !isTime) setTap(null);
  return [tap, setTap] as const;
}

/** The garden to scale. */
export function MapPage() {
  const text = mapText();
  usePageTitle(text.title);
  useShortcuts(mapKeys);
  const bed = useShownBed();
  const points = useRecords('points');
  const garden = useGarden();
  const zone = useZone();
  const time = useMapTime();
  const isTime = time.at !== undefined;
  const isWriter = useMayWrite();
  const mayWrite = isWriter && !isTime;
  const isPrinting = usePrinting();
  const switches = useLayerSwitches();
  /** The point that was chosen by a key or elsewhere, until its panel has the focus. */
  const [entering, setEntering] = useState<number | null>(null);
  const selection = useSelection(setEntering);
  const shownPoints = useShownPoints(points, switches, selection.ids);
  const toolNames = useToolNames();
  const viewport = useMemo(() => new Viewport(bed.width, bed.height), [bed]);
  const frame = useRef<HTMLDivElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const detail = useDetail(viewport);
  const { panel, open, ids, place } = selection;
  const [tap, setTap] = useTap(isTime);
  const [isBoxing, setBoxing] = useBoxing(panel);
  useEffect(
    () => (frame.current && sheet.current ? viewport.attach(frame.current, sheet.current) : undefined),
    [viewport],
  );
  const gestures = { viewport, bed, svg, points: shownPoints, selection, isBoxing, mayWrite };
  const box = useGestures(gestures);
  const moving = useMoving(gestures);
  const reveal = ({ x, y }: { readonly x: number; readonly y: number }): void => {
    const [left, top] = bed.toScreen(x, y);
    viewport.reveal({ x: left, y: top });
  };
  const revealSelected = useEffectEvent((chosenIds: Selection['ids'], chosenPlace: Selection['place']): void => {
    const chosen = points.filter(({ id }) => chosenIds.has(id));
    const all = chosenPlace ? [{ x: chosenPlace[0], y: chosenPlace[1] }] : chosen;
    if (all.length === 0) return;
    const middle = (axis: 'x' | 'y'): number =>
      (Math.min(...all.map((each) => each[axis])) + Math.max(...all.map((each) => each[axis]))) / 2;
    reveal({ x: middle('x'), y: middle('y') });
  });
  // The panel that opens with a selection may cover it.
  useEffect(() => {
    const request = requestAnimationFrame(() => revealSelected(ids, place));
    return () => cancelAnimationFrame(request);
  }, [ids, place]);
  const addition = useAddition(selection, mayWrite, points);
  const { adding, choice } = addition;

  const tapped = (event: MouseEvent): void => {
    // Of two clicks the first one counts: its point is there, and the panel that it opened may have moved the bed.
    if (event.detail > 1) return;
    const spot = viewport.spotOf(event);
    const [gardenX, gardenY] = bed.toGarden(spot.x, spot.y);
    const [x, y] = [Math.round(gardenX), Math.round(gardenY)];
    // The past and the future cannot be changed.
    if (isTime) {
      setTap({ x, y, reach: tapReach / viewport.view.scale });
      return;
    }
    if (adding) {
      addition.tap({ x, y });
      return;
    }
    if (event.target instanceof Element && event.target.closest('[data-point]')) return;
    const near = tappedPoint(shownPoints, bed, spot.x, spot.y, viewport.view.scale);
    if (near) selection.choose(near.id, isBoxing || event.shiftKey);
    // A tap that misses is not meant to end a selection to which taps add.
    else if (isBoxing) return;
    else if (ids.size > 0 || panel) selection.select([]);
    else if (spot.x >= 0 && spot.y >= 0 && spot.x <= bed.width && spot.y <= bed.height) selection.selectPlace(x, y);
  };
  const { shown } = switches;
  return (
    <div className={styles.map}>
      <h1 className={styles.hidden}>
        {isPrinting
          ? `${garden.name} · ${formatInstant(isTime ? time.store.get() : Date.now(), zone, { dateStyle: 'long' })}`
          : text.title}
      </h1>
      <div className={styles.stage}>
        {isTime ? null : <Messages points={points} selection={selection} moved={moving.distance} mayWrite={mayWrite} />}
        <MapTools
          selection={selection}
          mayWrite={isWriter}
          time={time}
          isBoxing={isBoxing}
          onBoxing={setBoxing}
          onAdd={addition.begin}
        />
        <ZoomControls viewport={viewport} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys pan it */}
        <div ref={frame} className={styles.viewport} role="group" aria-label={text.viewport} tabIndex={0}>
          <div ref={sheet} className={styles.sheet} style={{ width: bed.width, height: bed.height }}>
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the points in it are buttons, and places have fields */}
            <svg
              ref={svg}
              width={bed.width}
              height={bed.height}
              viewBox={`0 0 ${bed.width} ${bed.height}`}
              role="group"
              aria-label={text.bed(bed.width, bed.height)}
              data-detail={isPrinting ? 'pictures' : detail}
              onClick={tapped}
            >
              <Soil bed={bed} />
              <g className={styles.below}>
                <Suspense>
                  {shown('show_images') ? <PhotoLayer bed={bed} time={isTime ? time.store : undefined} /> : null}
                </Suspense>
                <Suspense>{shown('show_zones') ? <ZoneLayer bed={bed} /> : null}</Suspense>
                {isTime ? null : <SoilLayers bed={bed} points={points} shownPoints={shownPoints} shown={shown} />}
              </g>
              {isTime ? (
                <Suspense>
                  <TimeMarks time={time} bed={bed} />
                </Suspense>
              ) : (
                <>
                  <PointMarks
                    bed={bed}
                    points={shownPoints}
                    selected={ids}
                    toolNames={toolNames}
                    onSelect={(id, isAdded, byKey) => {
                      if (adding) return;
                      // A finger has no Shift: while boxes are drawn, a tap adds to their selection.
                      selection.choose(id, isAdded || (isBoxing && !byKey));
                      if (byKey && !isAdded) setEntering(id);
                    }}
                    onFocus={reveal}
                    onClose={() => (ids.size > 0 || place ? selection.select([]) : open(undefined))}
                  />
                  <g className={styles.below}>
                    <SelectionRings bed={bed} points={shownPoints} selected={ids} />
                    <Suspense>{shown('show_sensor_readings') ? <ReadingLayer bed={bed} /> : null}</Suspense>
                    <Suspense>{shown('show_farmbot') ? <RobotLayer bed={bed} shown={shown} /> : null}</Suspense>
                    {(place && !addition.kind ? [{ x: place[0], y: place[1] }] : choice.free).map(({ x, y }) => {
                      const [left, top] = bed.toScreen(x, y);
                      return <circle key={`${x} ${y}`} className={styles.ghost} cx={left} cy={top} r={30} />;
                    })}
                    {box ? <rect className={styles.box} {...box} /> : null}
                  </g>
                </>
              )}
              <GridLabels bed={bed} viewport={viewport} />
            </svg>
          </div>
          <Suspense>{isTime ? <TimeCanvas time={time} viewport={viewport} bed={bed} /> : null}</Suspense>
        </div>
      </div>
      {isTime ? (
        <div className={styles.time}>
          <Suspense fallback={<div className={styles.loadingTime} />}>
            <TimeBar time={time} tap={tap} />
          </Suspense>
        </div>
      ) : null}
      {isTime ? null : (
        <PrintSheet points={points} shownPoints={shownPoints} switches={switches} toolNames={toolNames} />
      )}
      {hasPanel(selection, isTime) ? (
        <Suspense fallback={<div className={styles.panel} />}>
          <MapPanel
            selection={selection}
            points={points}
            switches={switches}
            moving={moving}
            entering={entering}
            onEntered={() => setEntering(null)}
            onLeave={(id) => svg.current?.querySelector<SVGElement>(`[data-point="${id}"]`)?.focus()}
            addition={addition}
            bed={bed}
          />
        </Suspense>
      ) : null}
    </div>
  );
}

/** Leads to a first robot, or to the virtual one that ended by itself, above the map of a garden without a robot; until it is closed in this tab. */
function NoRobot() {
  const hasNoRobot = useHasNoRobot();
  const hasEnded = useHasEndedRobot();
  const text = dataText();
  const [isClosed, setClosed] = useDraft('no robot', false);
  if (isClosed || !(hasNoRobot || hasEnded)) return null;
  return (
    <div className={styles.status}>
      <span>{hasEnded ? text.virtualRobotEnded : text.noRobot}</span>
      {hasEnded ? <StartVirtualRobot label={text.startAgain} /> : <FirstRobot />}
      <IconButton label={mapText().closePanel} icon={<X />} onPress={() => setClosed(true)} />
    </div>
  );
}

/** Below this scale, in pixels per mm, pictures are too small: plants are dots. */
const minPictureScale = 0.07;

type Detail = 'pictures' | 'dots';

/** Returns the details that can be distinguished at the scale of the view. */
const useDetail = (viewport: Viewport): Detail =>
  useSyncExternalStore(viewport.subscribe, () => (viewport.view.scale < minPictureScale ? 'dots' : 'pictures'));
