import { BoxSelect, Bug, Layers, MapPin, Maximize, Minus, Plus, Sprout } from 'lucide-react';
import { Toolbar } from 'react-aria-components';
import { IconButton, ToggleIconButton } from '../ui/button.tsx';
import styles from './map.module.css';
import type { Selection } from './selection-state.ts';
import { mapText } from './text.ts';
import type { Viewport } from './viewport.ts';

const addingIcons = { plant: Sprout, weed: Bug, point: MapPin } as const;

export interface MapToolsProps {
  readonly selection: Selection;
  readonly mayWrite: boolean;
  readonly isBoxing: boolean;
  readonly onBoxing: (isBoxing: boolean) => void;
}

/** What is done with the map: buttons at its upper corner. */
export function MapTools({ selection: { panel, open }, mayWrite, isBoxing, onBoxing }: MapToolsProps) {
  const text = mapText();
  return (
    <Toolbar className={styles.tools ?? ''} aria-label={text.tools} orientation="vertical">
      <ToggleIconButton
        label={text.layersTitle}
        icon={<Layers />}
        isSelected={panel === 'layers'}
        onChange={(isOpen) => open(isOpen ? 'layers' : undefined)}
      />
      <ToggleIconButton label={text.boxSelect} icon={<BoxSelect />} isSelected={isBoxing} onChange={onBoxing} />
      {mayWrite
        ? (['plant', 'weed', 'point'] as const).map((kind) => {
            const Icon = addingIcons[kind];
            return (
              <ToggleIconButton
                key={kind}
                label={text.adding[kind]}
                icon={<Icon />}
                isSelected={panel === kind}
                onChange={(isOpen) => open(isOpen ? kind : undefined)}
              />
            );
          })
        : null}
    </Toolbar>
  );
}

export function ZoomControls({ viewport }: { readonly viewport: Viewport }) {
  const text = mapText();
  return (
    <Toolbar className={styles.controls ?? ''} aria-label={text.view} orientation="vertical">
      <IconButton label={text.zoomIn} icon={<Plus />} onPress={() => viewport.zoom(1)} />
      <IconButton label={text.zoomOut} icon={<Minus />} onPress={() => viewport.zoom(-1)} />
      <IconButton label={text.showAll} icon={<Maximize />} onPress={() => viewport.fit()} />
    </Toolbar>
  );
}
