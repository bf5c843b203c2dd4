import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../ui/button.tsx';
import { Part } from '../ui/failure.tsx';
import { type LayerSwitches, Legend } from './layer-switches.tsx';
import styles from './map.module.css';
import type { Point } from './points.ts';
import type { Selection } from './selection-state.ts';
import { mapText } from './text.ts';

/** What stands beside the map, and on a phone below it. */
function Panel({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <section className={styles.panel} aria-label={title}>
      <header className={styles.panelHeader}>
        <h2>{title}</h2>
        <IconButton label={mapText().closePanel} icon={<X />} onPress={onClose} />
      </header>
      <div className={styles.panelContent}>
        <Part>{children}</Part>
      </div>
    </section>
  );
}

/** Shows what is selected or being done, if anything. */
export function MapPanel({
  selection: { panel, open, ids, select },
  points,
  switches,
}: {
  readonly selection: Selection;
  readonly points: readonly Point[];
  readonly switches: LayerSwitches;
}) {
  const text = mapText();
  if (panel === 'layers')
    return (
      <Panel title={text.layersTitle} onClose={() => open(undefined)}>
        <Legend switches={switches} />
      </Panel>
    );
  const selected = points.filter(({ id }) => ids.has(id));
  const [point, ...others] = selected;
  if (!point) return null;
  return (
    <Panel title={others.length === 0 ? point.name : text.selected(selected.length)} onClose={() => select([])}>
      <ul className={styles.list}>
        {selected.map(({ id, name, pointer_type, x, y }) => (
          <li key={id}>{text.pointLabel(name, text.kinds[pointer_type], Math.round(x), Math.round(y))}</li>
        ))}
      </ul>
    </Panel>
  );
}
