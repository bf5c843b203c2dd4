import { Fragment, Suspense } from 'react';
import { layers } from '../data/followed-settings.ts';
import { Switch } from '../ui/fields.tsx';
import type { LayerSwitches } from './layer-switches.ts';
import styles from './map.module.css';
import { PhotoNote } from './photo-layer.tsx';
import type { Point } from './points.ts';
import { Scale } from './scale.tsx';
import { mapText } from './text.ts';

/** The switches of layers with samples of their symbols. */
export function Legend({ switches, points }: { readonly switches: LayerSwitches; readonly points: readonly Point[] }) {
  const text = mapText();
  return (
    <div className={styles.legend}>
      {layers.map((layer) => (
        <Fragment key={layer}>
          <Switch
            label={
              <span className={styles.legendEntry}>
                <span className={`${styles.sample} ${styles[layer] ?? ''}`} aria-hidden="true" />
                {text.layers[layer]}
              </span>
            }
            isSelected={switches.shown(layer)}
            onChange={(isShown) => switches.change(layer, isShown)}
          />
          {switches.shown(layer) ? <Scale layer={layer} points={points} /> : null}
        </Fragment>
      ))}
      <Suspense>{switches.shown('show_images') ? <PhotoNote /> : null}</Suspense>
    </div>
  );
}
