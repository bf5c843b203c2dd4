import { useState } from 'react';
import { Toolbar } from 'react-aria-components';
import { IconButton, ToggleIconButton } from '../ui/button.tsx';
import { BoxSelect, Bug, CalendarClock, Layers, MapPin, Maximize, Minus, Plus, Sprout, Wrench } from '../ui/icons.tsx';
import { useRootMark } from '../ui/root-mark.ts';
import { type AddedKind, addedKinds } from './additions.ts';
import styles from './map.module.css';
import type { MapTime } from './map-time.ts';
import type { Panel, Selection } from './selection-state.ts';
import { mapText } from './text.ts';
import type { Viewport } from './viewport.ts';

/** The symbols of what is added. */
export const addingIcons = { plant: Sprout, weed: Bug, point: MapPin, slot: Wrench } as const satisfies Record<
  AddedKind,
  unknown
>;

/** The panels that a tool opens. */
const toolPanels: readonly (Panel | undefined)[] = ['layers', ...addedKinds];

export interface MapToolsProps {
  readonly selection: Selection;
  readonly mayWrite: boolean;
  readonly time: MapTime;
  readonly isBoxing: boolean;
  readonly onBoxing: (isBoxing: boolean) => void;
  /** The mode that adds points. */
  readonly onAdd: (kind: AddedKind) => void;
}

/** Whether dragging draws a box, while no other tool is open: one of them is active at a time. */
export function useBoxing(panel: Panel | undefined): readonly [isBoxing: boolean, set: (isBoxing: boolean) => void] {
  const [isChosen, setChosen] = useState(false);
  return [isChosen && !toolPanels.includes(panel), setChosen];
}

/** The tools of the map: buttons in its upper corner. */
export function MapTools({ selection: { panel, open }, mayWrite, time, isBoxing, onBoxing, onAdd }: MapToolsProps) {
  const text = mapText();
  const isTime = time.at !== undefined;
  const openTool = (tool: Panel | undefined): void => {
    onBoxing(false);
    open(tool);
  };
  return (
    <Toolbar className={styles.tools ?? ''} aria-label={text.tools} orientation="vertical">
      <ToggleIconButton
        label={text.layersTitle}
        icon={<Layers />}
        isSelected={panel === 'layers'}
        onChange={(isOpen) => openTool(isOpen ? 'layers' : undefined)}
      />
      <ToggleIconButton
        label={text.overTime}
        icon={<CalendarClock />}
        isSelected={isTime}
        onChange={(isOpen) => {
          onBoxing(false);
          time.set(isOpen ? 'now' : undefined);
        }}
      />
      <ToggleIconButton
        label={text.boxSelect}
        icon={<BoxSelect />}
        isDisabled={isTime}
        isSelected={isBoxing}
        onChange={(isChosen) => {
          onBoxing(isChosen);
          if (toolPanels.includes(panel)) open(undefined);
        }}
      />
      {mayWrite
        ? addedKinds.map((kind) => {
            const Icon = addingIcons[kind];
            return (
              <ToggleIconButton
                key={kind}
                label={text.adding[kind]}
                icon={<Icon />}
                isDisabled={isTime}
                isSelected={panel === kind}
                onChange={(isOpen) => {
                  openTool(isOpen ? kind : undefined);
                  if (isOpen) onAdd(kind);
                }}
              />
            );
          })
        : null}
    </Toolbar>
  );
}

export function ZoomControls({ viewport }: { readonly viewport: Viewport }) {
  useRootMark('controls');
  const text = mapText();
  return (
    <Toolbar className={styles.controls ?? ''} aria-label={text.view} orientation="vertical">
      <IconButton label={text.zoomIn} icon={<Plus />} onPress={() => viewport.zoom(1)} />
      <IconButton label={text.zoomOut} icon={<Minus />} onPress={() => viewport.zoom(-1)} />
      <IconButton label={text.showAll} icon={<Maximize />} onPress={() => viewport.fit()} />
    </Toolbar>
  );
}
