import { Layers, Maximize, Minus, Plus } from 'lucide-react';
import { IconButton, ToggleIconButton } from '../ui/button.tsx';
import styles from './map.module.css';
import type { Selection } from './selection-state.ts';
import { mapText } from './text.ts';
import type { Viewport } from './viewport.ts';

/** What is done with the map: buttons at its upper corner. */
export function MapTools({ selection: { panel, open } }: { readonly selection: Selection }) {
  const text = mapText();
  return (
    <div className={styles.tools} role="toolbar" aria-label={text.tools}>
      <ToggleIconButton
        label={text.layersTitle}
        icon={<Layers />}
        isSelected={panel === 'layers'}
        onChange={(isOpen) => open(isOpen ? 'layers' : undefined)}
      />
    </div>
  );
}

export function ZoomControls({ viewport }: { readonly viewport: Viewport }) {
  const text = mapText();
  return (
    <div className={styles.controls}>
      <IconButton label={text.zoomIn} icon={<Plus />} onPress={() => viewport.zoom(1)} />
      <IconButton label={text.zoomOut} icon={<Minus />} onPress={() => viewport.zoom(-1)} />
      <IconButton label={text.showAll} icon={<Maximize />} onPress={() => viewport.fit()} />
    </div>
  );
}
