import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useMemo, useRef } from 'react';
import { listQuery, useRecords } from '../data/collections.ts';
import { useWebAppConfig } from '../data/singles.ts';
import { usePageTitle } from '../ui/page.tsx';
import { type Bed, bedOf } from './bed.ts';
import { MoistureLayer, ReadingLayer, SoilHeightLayer, SpreadLayer, ZoneLayer } from './garden-layers.tsx';
import { GridLabels, Soil } from './grid.tsx';
import { type LayerSwitches, useLayerSwitches } from './layer-switches.tsx';
import type { Layer } from './layers.ts';
import styles from './map.module.css';
import { MapPanel } from './map-panel.tsx';
import { MapTools, ZoomControls } from './map-tools.tsx';
import { PhotoLayer } from './photo-layer.tsx';
import { PointMarks, SelectionRings } from './point-marks.tsx';
import { isSoilHeight, type Point } from './points.ts';
import { RobotLayer } from './robot-layer.tsx';
import { useSelection } from './selection-state.ts';
import { mapText } from './text.ts';
import { useDetail } from './view-detail.ts';
import { Viewport } from './viewport.ts';

const layerOf = {
  Plant: 'show_plants',
  Weed: 'show_weeds',
  GenericPointer: 'show_points',
  ToolSlot: 'show_farmbot',
} as const satisfies Record<Point['pointer_type'], Layer>;

/** Returns the bed by the settings. Suspends. */
function useBed(): Bed {
  const { map_size_x, map_size_y, bot_origin_quadrant, xy_swap } = useWebAppConfig();
  return useMemo(
    () => bedOf({ map_size_x, map_size_y, bot_origin_quadrant, xy_swap }),
    [map_size_x, map_size_y, bot_origin_quadrant, xy_swap],
  );
}

/** Returns the points whose layers are shown. */
function useShownPoints(points: readonly Point[], { shown }: LayerSwitches): readonly Point[] {
  const hidden = Object.values(layerOf)
    .filter((layer) => !shown(layer))
    .join();
  return useMemo(
    () => points.filter((point) => !hidden.includes(layerOf[point.pointer_type]) && !isSoilHeight(point)),
    [points, hidden],
  );
}

/** The names of tools by ids; empty until they were read, because the first picture does not wait for them. */
function useToolNames(): ReadonlyMap<number, string> {
  const { data } = useQuery(listQuery('tools'));
  return useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data]);
}

/** The garden to scale. */
export function MapPage() {
  const text = mapText();
  usePageTitle(text.title);
  const bed = useBed();
  const points = useRecords('points');
  const switches = useLayerSwitches();
  const shownPoints = useShownPoints(points, switches);
  const selection = useSelection();
  const toolNames = useToolNames();
  const viewport = useMemo(() => new Viewport(bed.width, bed.height), [bed]);
  const frame = useRef<HTMLDivElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const detail = useDetail(viewport);
  useEffect(
    () => (frame.current && sheet.current ? viewport.attach(frame.current, sheet.current) : undefined),
    [viewport],
  );
  const { shown } = switches;
  return (
    <div className={styles.map}>
      <h1 className={styles.hidden}>{text.title}</h1>
      <div className={styles.stage}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys pan it */}
        <div ref={frame} className={styles.viewport} role="group" aria-label={text.viewport} tabIndex={0}>
          <div ref={sheet} className={styles.sheet} style={{ width: bed.width, height: bed.height }}>
            <svg
              width={bed.width}
              height={bed.height}
              role="group"
              aria-label={text.bed(bed.width, bed.height)}
              data-detail={detail}
            >
              <Soil bed={bed} />
              <g className={styles.below}>
                <Suspense>{shown('show_images') ? <PhotoLayer bed={bed} /> : null}</Suspense>
                <Suspense>{shown('show_zones') ? <ZoneLayer bed={bed} /> : null}</Suspense>
                {shown('show_soil_interpolation_map') ? <SoilHeightLayer bed={bed} points={points} /> : null}
                <Suspense>{shown('show_moisture_interpolation_map') ? <MoistureLayer bed={bed} /> : null}</Suspense>
                <Suspense>{shown('show_spread') ? <SpreadLayer bed={bed} points={shownPoints} /> : null}</Suspense>
                <SelectionRings bed={bed} points={shownPoints} selected={selection.ids} />
              </g>
              <PointMarks
                bed={bed}
                points={shownPoints}
                selected={selection.ids}
                toolNames={toolNames}
                onSelect={selection.choose}
                onFocus={({ x, y }) => {
                  const [left, top] = bed.toScreen(x, y);
                  viewport.reveal({ x: left, y: top });
                }}
              />
              <g className={styles.below}>
                <Suspense>{shown('show_sensor_readings') ? <ReadingLayer bed={bed} /> : null}</Suspense>
                <Suspense>{shown('show_farmbot') ? <RobotLayer bed={bed} shown={shown} /> : null}</Suspense>
              </g>
              <GridLabels bed={bed} viewport={viewport} />
            </svg>
          </div>
        </div>
        <MapTools selection={selection} />
        <ZoomControls viewport={viewport} />
      </div>
      <MapPanel selection={selection} points={points} switches={switches} />
    </div>
  );
}
