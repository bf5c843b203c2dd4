import { type CSSProperties, memo, useMemo, useState } from 'react';
import type { Measurement } from '../../../src/core/soil-height.ts';
import { areaOf, type Bed } from '../data/bed.ts';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { useCrops } from '../data/crops.ts';
import { percentUnit } from '../data/sensor-values.ts';
import { measured } from '../ui/numbers.ts';
import styles from './layers.module.css';
import { cellSize, coloredCells } from './measurements.ts';
import { isPlant, type Point } from './points.ts';
import { useInterpolatedHeights, useMoisture, useReadings, useSoilHeights } from './soil.ts';
import { plantSpread } from './spread.ts';

interface LayerProps {
  readonly bed: Bed;
}

interface PointLayerProps extends LayerProps {
  readonly points: readonly Point[];
}

/** Draws the present and the later width of plants. */
export const SpreadLayer = memo(function SpreadLayer({ bed, points }: PointLayerProps) {
  const [now] = useState(Date.now);
  const source = { crops: useCrops(), curves: useRecords('curves'), now };
  return points.filter(isPlant).map((plant) => {
    const spread = plantSpread(plant, source);
    const [x, y] = bed.toScreen(plant.x, plant.y);
    return (
      <g key={plant.id} data-follows={plant.id}>
        <circle className={styles.spread} cx={x} cy={y} r={spread.now / 2} />
        {spread.grown === null ? null : <circle className={styles.grown} cx={x} cy={y} r={spread.grown / 2} />}
      </g>
    );
  });
});

/** The areas of groups. */
export const ZoneLayer = memo(function ZoneLayer({ bed }: LayerProps) {
  const [maxX, maxY] = [0, 1].map((axis) =>
    Math.max(bed.toGarden(0, 0)[axis] ?? 0, bed.toGarden(bed.width, bed.height)[axis] ?? 0),
  ) as [number, number];
  return zonesOf(useRecords('point_groups')).map((zone) => {
    const area = areaOf(
      bed,
      [Math.max(0, zone.minX ?? 0), Math.max(0, zone.minY ?? 0)],
      [Math.min(maxX, zone.maxX ?? maxX), Math.min(maxY, zone.maxY ?? maxY)],
    );
    return (
      <g key={zone.id}>
        <rect className={styles.zone} {...area} />
        <text className={styles.zoneName} x={area.x + 20} y={area.y + 60} fontSize={48}>
          {zone.name}
        </text>
      </g>
    );
  });
});

/** Measured values as colors of the soil between them. */
function ColoredSoil({
  bed,
  measured,
  className,
}: LayerProps & { readonly measured: readonly Measurement[]; readonly className: string | undefined }) {
  const size = cellSize(bed.width, bed.height);
  const cells = useMemo(
    () =>
      coloredCells(
        measured.map(({ x, y, value }) => {
          const [left, top] = bed.toScreen(x, y);
          return { x: left, y: top, value };
        }),
        bed.width,
        bed.height,
      ),
    [bed, measured],
  );
  return (
    <g className={className}>
      {cells.map(({ x, y, level }) => (
        <rect
          key={`${x} ${y}`}
          x={x - size / 2}
          y={y - size / 2}
          width={Math.min(size, bed.width - x + size / 2)}
          height={Math.min(size, bed.height - y + size / 2)}
          style={{ '--level': `${Math.round(level * 100)}%` } as CSSProperties}
        />
      ))}
    </g>
  );
}

/** Heights of the soil as colors, with the measured values. */
export const SoilHeightLayer = memo(function SoilHeightLayer({ bed, points }: PointLayerProps) {
  return (
    <>
      <ColoredSoil bed={bed} measured={useInterpolatedHeights(points)} className={styles.height} />
      <Values bed={bed} measured={useSoilHeights(points)} />
    </>
  );
});

/** A value with the percentage that is shown instead of it. */
type ShownValue = Measurement & { readonly percent?: number | null };

const Values = ({ bed, measured: all }: LayerProps & { readonly measured: readonly ShownValue[] }) =>
  all.map(({ x, y, value, percent = null }) => {
    const [left, top] = bed.toScreen(x, y);
    return (
      <text key={`${x} ${y}`} className={styles.value} x={left} y={top} fontSize={36}>
        {percent === null ? measured(value) : measured(Math.round(percent), percentUnit)}
      </text>
    );
  });

/** Values of analog sensors as colors of the soil. */
export const MoistureLayer = memo(function MoistureLayer({ bed }: LayerProps) {
  return <ColoredSoil bed={bed} measured={useMoisture().values} className={styles.moisture} />;
});

/** Sensor readings where they were taken. */
export const ReadingLayer = memo(function ReadingLayer({ bed }: LayerProps) {
  const readings = useReadings();
  return (
    <g className={styles.readings}>
      {readings.map(({ id, x, y }) => {
        const [left, top] = bed.toScreen(x, y);
        return <circle key={id} cx={left} cy={top} r={18} />;
      })}
      <Values bed={bed} measured={readings} />
    </g>
  );
});

/** The part of the bed that a group takes points from, in mm; null in a direction without a limit. */
interface Zone {
  readonly id: number;
  readonly name: string;
  readonly minX: number | null;
  readonly maxX: number | null;
  readonly minY: number | null;
  readonly maxY: number | null;
}

/** Returns the zones of groups whose criteria limit coordinates. */
const zonesOf = (groups: readonly RecordOf<'point_groups'>[]): readonly Zone[] =>
  groups.flatMap(({ id, name, criteria: { number_gt, number_lt } }) => {
    const zone = {
      id,
      name,
      minX: number_gt.x ?? null,
      maxX: number_lt.x ?? null,
      minY: number_gt.y ?? null,
      maxY: number_lt.y ?? null,
    };
    const { minX, maxX, minY, maxY } = zone;
    return [minX, maxX, minY, maxY].some((limit) => limit !== null) ? [zone] : [];
  });
