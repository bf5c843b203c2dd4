import { Suspense } from 'react';
import type { Measurement } from '../../../src/core/soil-height.ts';
import type { Layer } from '../data/followed-settings.ts';
import { percentUnit } from '../data/sensor-values.ts';
import { measured } from '../ui/numbers.ts';
import { uiText } from '../ui/text.ts';
import styles from './map.module.css';
import { rangeOf } from './measurements.ts';
import type { Point } from './points.ts';
import { useInterpolatedHeights, useMoisture } from './soil.ts';
import { mapText } from './text.ts';

interface RangeProps {
  readonly layer: Layer;
  /** The text after the highest value, such as ` mm`. */
  readonly unit: string;
  readonly values: readonly Measurement[];
}

/** The colors of a layer between the lowest and the highest value. */
function Range({ layer, unit, values }: RangeProps) {
  if (values.length === 0) return null;
  const [least, most] = rangeOf(values);
  const [low, high] = [measured(least), measured(most, unit)];
  return (
    <span className={styles.scale} role="img" aria-label={uiText().pair(mapText().layers[layer], `${low} – ${high}`)}>
      {low}
      <span className={styles[layer]} />
      {high}
    </span>
  );
}

const heightLayer = 'show_soil_interpolation_map';
const moistureLayer = 'show_moisture_interpolation_map';

const HeightScale = ({ points }: { readonly points: readonly Point[] }) => (
  <Range layer={heightLayer} unit=" mm" values={useInterpolatedHeights(points)} />
);

function MoistureScale() {
  const { values, isPercent } = useMoisture();
  return <Range layer={moistureLayer} unit={isPercent ? percentUnit : ` ${mapText().ofAnalog}`} values={values} />;
}

/** The meaning of a layer's colors in numbers, if it is one of colored soil with measured values. */
export function Scale({ layer, points }: { readonly layer: Layer; readonly points: readonly Point[] }) {
  if (layer === heightLayer) return <HeightScale points={points} />;
  return <Suspense>{layer === moistureLayer ? <MoistureScale /> : null}</Suspense>;
}
