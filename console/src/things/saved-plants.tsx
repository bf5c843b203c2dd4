import { type RecordOf, useRecords } from '../data/collections.ts';
import { cropName, useCrops } from '../data/crops.ts';
import { useZone } from '../data/garden-time.ts';
import { nameOf } from '../data/schema-fields.tsx';
import { useLabels } from '../data/schemas.ts';
import { formatInstant } from '../ui/time-format.ts';
import { thingsText } from './text.ts';
import styles from './things.module.css';

const curveFields = ['water_curve_id', 'spread_curve_id', 'height_curve_id'] as const;

/** The plants of a saved garden as a table, with what it keeps of their planting. Suspends. */
export function SavedPlants({ plants }: { readonly plants: readonly RecordOf<'plant_templates'>[] }) {
  const { places, garden } = thingsText();
  const labelOf = useLabels('PlantTemplate');
  const zone = useZone();
  const crops = useCrops();
  const curves = useRecords('curves');
  const curveOf = (id: number | null): string => {
    const curve = curves.find((each) => each.id === id);
    return curve ? nameOf(curve) : '';
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: wide ones are scrolled, by keyboard, too
    <div className={styles.places} tabIndex={0} role="region" aria-label={garden.preview}>
      <table>
        <thead>
          <tr>
            {[places.name, places.crop, places.place].map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
            {['planted_at', 'depth', ...curveFields].map((name) => (
              <th key={name} scope="col">
                {labelOf(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {plants.map((plant) => {
            const { id, name, openfarm_slug, x, y, z, planted_at, depth } = plant;
            const crop = crops.get(openfarm_slug);
            return (
              <tr key={id}>
                <th scope="row">{name}</th>
                <td>{crop ? cropName(crop) : openfarm_slug}</td>
                <td className={styles.coordinates}>{[x, y, z].join(', ')}</td>
                <td>
                  {planted_at === null ? places.notPlanted : formatInstant(planted_at, zone, { dateStyle: 'medium' })}
                </td>
                <td>{depth}</td>
                {curveFields.map((field) => (
                  <td key={field}>{curveOf(plant[field])}</td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
