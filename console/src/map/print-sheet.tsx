import { layers } from '../data/followed-settings.ts';
import { groupBy } from '../data/groups.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { cropPictures } from '../ui/crop-pictures.ts';
import { compareNames } from '../ui/natural-order.ts';
import { usePrinting } from '../ui/printing.ts';
import type { LayerSwitches } from './layer-switches.ts';
import styles from './map.module.css';
import { layerOf } from './map-data.ts';
import { type Point, pointName, toolNameOf } from './points.ts';
import { Scale } from './scale.tsx';
import { mapText } from './text.ts';

interface PrintSheetProps {
  readonly points: readonly Point[];
  readonly shownPoints: readonly Point[];
  readonly switches: LayerSwitches;
  readonly toolNames: ReadonlyMap<number, string>;
}

/** Printed below the bed: the meaning of the colors, and the names with their places. */
export function PrintSheet({ points, shownPoints, switches, toolNames }: PrintSheetProps) {
  const text = mapText();
  if (!usePrinting()) return null;
  const named = shownPoints.map((point) => ({ point, name: pointName(point, toolNameOf(point, toolNames)) }));
  const rows = [...groupBy(named, ({ point, name }) => `${name} ${layerOf(point)}`).values()]
    .flatMap(([first, ...others]) => (first ? [{ ...first, places: [first, ...others] }] : []))
    .sort((one, other) => compareNames(one.name, other.name));
  return (
    <div className={styles.paper}>
      <ul className={styles.paperLegend} aria-label={text.layersTitle}>
        {layers
          .filter((layer) => switches.shown(layer))
          .map((layer) => (
            <li key={layer} className={styles.legendEntry}>
              <span className={`${styles.sample} ${styles[layer] ?? ''}`} />
              {text.layers[layer]}
              <Scale layer={layer} points={points} />
            </li>
          ))}
      </ul>
      <table className={styles.paperNames}>
        <thead>
          <tr>
            <th scope="col">{sharedLabels().name}</th>
            <th scope="col">{text.printedCount}</th>
            <th scope="col">{text.printedPlaces}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ point, name, places }) => (
            <tr key={point.id}>
              <td>
                <span className={styles.legendEntry}>
                  <Sample point={point} />
                  {name}
                </span>
              </td>
              <td>{places.length}</td>
              <td>{places.map(({ point: { x, y } }) => `(${Math.round(x)},\u00a0${Math.round(y)})`).join(' ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The look of a point on the bed. */
const Sample = ({ point }: { readonly point: Point }) => {
  const picture = point.pointer_type === 'Plant' ? cropPictures[point.openfarm_slug] : undefined;
  return picture ? (
    <img src={picture} alt="" width={20} height={20} />
  ) : (
    <span className={`${styles.sample} ${point.pointer_type === 'ToolSlot' ? styles.slot : styles[layerOf(point)]}`} />
  );
};
