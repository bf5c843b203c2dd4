import { Suspense } from 'react';
import { layers } from '../data/followed-settings.ts';
import { Switch } from '../ui/fields.tsx';
import type { LayerSwitches } from './layer-switches.ts';
import styles from './map.module.css';
import { PhotoNote } from './photo-layer.tsx';
import { mapText } from './text.ts';

/** The switches of layers with samples of their symbols. */
export function Legend({ switches }: { readonly switches: LayerSwitches }) {
  const text = mapText();
  return (
    <div className={styles.legend}>
      {layers.map((layer) => (
        <Switch
          key={layer}
          label={
            <span className={styles.legendEntry}>
              <span className={`${styles.sample} ${styles[layer] ?? ''}`} aria-hidden="true" />
              {text.layers[layer]}
            </span>
          }
          isSelected={switches.shown(layer)}
          onChange={(isShown) => switches.change(layer, isShown)}
        />
      ))}
      <Suspense>{switches.shown('show_images') ? <PhotoNote /> : null}</Suspense>
    </div>
  );
}
