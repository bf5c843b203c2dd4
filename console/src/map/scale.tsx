import { Suspense } from 'react';
import type { Layer } from '../data/followed-settings.ts';
import styles from './map.module.css';
import { type Measurement, rangeOf } from './measurements.ts';
import type { Point } from './points.ts';
import { useMoisture, useSoilHeights } from './soil.ts';
import { mapText } from './text.ts';

interface RangeProps {
  readonly layer: Layer;
  readonly unit: string;
  readonly measured: readonly Measurement[];
}

/** The colors of a layer between the lowest and the highest value. */
function Range({ layer, unit, measured }: RangeProps) {
  if (measured.length === 0) return null;
  const [least, most] = rangeOf(measured);
  return (
    <span className={styles.scale} role="img" aria-label={`${mapText().layers[layer]}: ${least} – ${most} ${unit}`}>
      {least}
      <span className={styles[layer]} />
      {most} {unit}
    </span>
  );
}

const heightLayer = 'show_soil_interpolation_map';
const moistureLayer = 'show_moisture_interpolation_map';

const HeightScale = ({ points }: { readonly points: readonly Point[] }) => (
  <Range layer={heightLayer} unit="mm" measured={useSoilHeights(points)} />
);

const MoistureScale = () => <Range layer={moistureLayer} unit={mapText().ofAnalog} measured={useMoisture()} />;

/** What the colors of a layer mean in numbers, if it is one of colored soil with measured values. */
export function Scale({ layer, points }: { readonly layer: Layer; readonly points: readonly Point[] }) {
  if (layer === heightLayer) return <HeightScale points={points} />;
  return <Suspense>{layer === moistureLayer ? <MoistureScale /> : null}</Suspense>;
}
