import { getRouteApi, Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { choiceLabel } from '../data/choice-label.ts';
import { layers } from '../data/followed-settings.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { percentUnit } from '../data/sensor-values.ts';
import { useMayWrite } from '../data/singles.ts';
import { Actions } from '../ui/actions.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { cropPictures } from '../ui/crop-pictures.ts';
import { Part } from '../ui/failure.tsx';
import { Switch } from '../ui/fields.tsx';
import {
  ArrowDown,
  ArrowLeft,
  ArrowRight,
  ArrowUp,
  CalendarClock,
  Droplets,
  Move,
  Printer,
  Shapes,
  Trash2,
  X,
} from '../ui/icons.tsx';
import { measured } from '../ui/numbers.ts';
import { useRootMark } from '../ui/root-mark.ts';
import { uiText } from '../ui/text.ts';
import { GroupPanel, MoveHereButton, WaterPanel } from './actions.tsx';
import { AddPanel, type AddPanelProps } from './adding.tsx';
import { addedKinds, isAddedKind } from './additions.ts';
import type { LayerSwitches } from './layer-switches.ts';
import styles from './map.module.css';
import { useGrowthSource } from './map-data.ts';
import { addingIcons } from './map-tools.tsx';
import { MorningPanel } from './morning-panel.tsx';
import { morningText } from './morning-text.ts';
import { type Moving, moveStep } from './moving.ts';
import { PhotoNote } from './photo-layer.tsx';
import { deletePoints, PointForm } from './point-form.tsx';
import { isPlant, type Plant, type Point } from './points.ts';
import { Scale } from './scale.tsx';
import type { Selection } from './selection-state.ts';
import { useMoistureNear } from './soil.ts';
import { SpotFacts } from './spot-facts.tsx';
import { plantSpread } from './spread.ts';
import { mapText } from './text.ts';
import { VisitList } from './visit-list.tsx';

const mapRoute = getRouteApi('/garden/map');

interface PanelProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Whether it takes the focus, which it reports. */
  readonly isEntered?: boolean;
  readonly onEntered?: () => void;
  readonly children: ReactNode;
}

/** The panel beside the map, on a phone below it. Escape closes it. */
function Panel({ title, onClose, isEntered = false, onEntered, children }: PanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useRootMark('panel');
  const content = useRef<HTMLDivElement>(null);
  const { panel, point } = mapRoute.useSearch();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another point is shown from its top
  useEffect(() => {
    // After the router, which keeps the place of the panel before.
    const frame = requestAnimationFrame(() => {
      content.current?.scrollTo(0, 0);
    });
    return () => cancelAnimationFrame(frame);
  }, [point]);
  useEffect(() => {
    if (!isEntered) return;
    heading.current?.focus();
    onEntered?.();
  }, [isEntered, onEntered]);
  return (
    <section
      className={styles.panel}
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) onClose();
      }}
    >
      <header className={styles.panelHeader}>
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <IconButton label={mapText().closePanel} icon={<X />} onPress={onClose} />
      </header>
      {/* Another panel begins at its top. */}
      <div key={panel} ref={content} className={styles.panelContent}>
        <Part>{children}</Part>
      </div>
    </section>
  );
}

export interface MapPanelProps extends AddPanelProps {
  readonly selection: Selection;
  readonly points: readonly Point[];
  readonly switches: LayerSwitches;
  readonly moving: Moving;
  /** The point whose panel takes the focus; null: none. */
  readonly entering: number | null;
  readonly onEntered: () => void;
  /** The panel of a point was closed. */
  readonly onLeave: (id: number) => void;
}

/** Shows the selection or the current action, if any. */
export function MapPanel(props: MapPanelProps) {
  const { selection, points, switches, moving, entering, onEntered, onLeave, ...adding } = props;
  const text = mapText();
  const { panel, open, ids, place, select } = selection;
  const mayWrite = useMayWrite();
  const selected = points.filter(({ id }) => ids.has(id));
  const close = (): void => open(undefined);
  if (panel === 'layers')
    return (
      <Panel title={text.layersTitle} onClose={close}>
        <Legend switches={switches} points={points} />
        <Button icon={<Printer />} onPress={() => print()}>
          {text.print}
        </Button>
      </Panel>
    );
  if (mayWrite && isAddedKind(panel))
    return (
      <Panel title={text.adding[panel]} onClose={close}>
        <AddPanel {...adding} />
      </Panel>
    );
  if (mayWrite && panel === 'water')
    return (
      <Panel title={text.water} onClose={close}>
        <WaterPanel plants={selected.filter(isPlant)} onDone={close} />
      </Panel>
    );
  if (mayWrite && panel === 'morning')
    return (
      <Panel title={morningText().title} onClose={close}>
        <MorningPanel plants={selected.filter(isPlant)} onDone={close} />
      </Panel>
    );
  if (mayWrite && panel === 'group')
    return (
      <Panel title={text.makeGroup} onClose={close}>
        <GroupPanel points={selected} onDone={close} />
      </Panel>
    );
  const [first] = selected;
  if (first)
    return (
      <Panel
        title={selected.length === 1 ? first.name : text.selected(selected.length)}
        onClose={() => {
          select([]);
          onLeave(first.id);
        }}
        isEntered={first.id === entering}
        onEntered={onEntered}
      >
        {selected.length === 1 && isPlant(first) ? <PlantSummary plant={first} /> : null}
        {mayWrite ? <SelectionActions points={selected} selection={selection} moving={moving} /> : null}
        <Suspense>
          <VisitList chosen={selected} points={points} />
        </Suspense>
        {selected.length > 1 ? <p>{text.countsOf(selected.map(({ pointer_type }) => pointer_type))}</p> : null}
        <Part>
          <PointForm key={selected.map(({ id }) => id).join()} points={selected} />
        </Part>
        {selected.length === 1 ? (
          <Part>
            <SpotFacts spot={first} points={points} />
          </Part>
        ) : null}
      </Panel>
    );
  if (!place) return null;
  return (
    <Panel title={text.place(...place)} onClose={() => select([])}>
      {mayWrite ? <PlaceActions place={place} selection={selection} {...adding} /> : null}
      <Part>
        <SpotFacts spot={{ x: place[0], y: place[1] }} points={points} />
      </Part>
    </Panel>
  );
}

/** A plant at a glance: its picture, its age, its size and its place. */
function PlantSummary({ plant }: { readonly plant: Plant }) {
  const text = mapText();
  const source = useGrowthSource();
  const { openfarm_slug, plant_stage, planted_at, x, y } = plant;
  const spread = plantSpread(plant, source);
  const days = planted_at === null ? null : Math.floor((source.now - Date.parse(planted_at)) / 86_400_000);
  const picture = cropPictures[openfarm_slug];
  return (
    <div className={styles.chosenCrop}>
      {picture ? <img src={picture} alt="" width={48} height={48} /> : null}
      <div>
        <p>
          {days !== null
            ? text.plantedSince(days)
            : plant_stage === 'planned'
              ? text.notPlanted
              : choiceLabel('plant_stage', plant_stage)}
        </p>
        <p>{text.size(Math.round(spread.now), spread.grown === null ? null : Math.round(spread.grown))}</p>
        <p>{text.place(Math.round(x), Math.round(y))}</p>
        <Link to="/plants/$id" params={{ id: String(plant.id) }}>
          {text.moreOf(plant.name)}
        </Link>
        <Suspense>
          <NearMoisture x={x} y={y} />
        </Suspense>
      </div>
    </div>
  );
}

/** The newest reading of soil moisture near a plant, if there is one. */
function NearMoisture({ x, y }: Pick<Plant, 'x' | 'y'>) {
  const text = mapText();
  const formatTime = useFormatTime();
  const reading = useMoistureNear(x, y);
  if (!reading) return null;
  const { value, percent, read_at } = reading;
  return (
    <p>
      {text.moistureNear(
        percent === null ? `${value} ${text.ofAnalog}` : measured(Math.round(percent), percentUnit),
        formatTime(read_at),
      )}
    </p>
  );
}

/** Buttons for the keys that move a selection: phones have none. */
function MoveButtons({ moving: { move, end } }: { readonly moving: Moving }) {
  const { moveTo, save } = mapText();
  const by = (across: number, down: number) => () => move(across * moveStep, down * moveStep);
  return (
    <div className={styles.moveButtons}>
      <Actions>
        <IconButton tone="plain" label={moveTo.left} icon={<ArrowLeft />} onPress={by(-1, 0)} />
        <IconButton tone="plain" label={moveTo.right} icon={<ArrowRight />} onPress={by(1, 0)} />
        <IconButton tone="plain" label={moveTo.up} icon={<ArrowUp />} onPress={by(0, -1)} />
        <IconButton tone="plain" label={moveTo.down} icon={<ArrowDown />} onPress={by(0, 1)} />
        <Button tone="primary" onPress={() => end(true)}>
          {save}
        </Button>
        <Button onPress={() => end(false)}>{uiText().cancel}</Button>
      </Actions>
    </div>
  );
}

/** Actions on selected points. */
function SelectionActions({
  points,
  selection: { open, select },
  moving,
}: {
  readonly points: readonly Point[];
  readonly selection: Selection;
  readonly moving: Moving;
}) {
  const text = mapText();
  const [first, ...others] = points;
  return (
    <Actions>
      {points.some(isPlant) ? (
        <>
          <Button icon={<Droplets />} onPress={() => open('water')}>
            {text.water}
          </Button>
          <Button icon={<CalendarClock />} onPress={() => open('morning')}>
            {morningText().title}
          </Button>
        </>
      ) : null}
      {first && others.length === 0 ? <MoveHereButton place={first} /> : null}
      <Button icon={<Move />} onPress={() => (moving.distance ? moving.end(false) : moving.begin())}>
        {text.moveByKeys}
      </Button>
      {moving.distance ? <MoveButtons moving={moving} /> : null}
      <Button icon={<Shapes />} onPress={() => open('group')}>
        {text.makeGroup}
      </Button>
      <Button
        tone="danger"
        icon={<Trash2 />}
        onPress={() => {
          select([]);
          void deletePoints(points);
        }}
      >
        {text.delete}
      </Button>
    </Actions>
  );
}

/** Actions at a place without a point. */
function PlaceActions({
  place: [x, y],
  selection: { open },
  addition,
}: {
  readonly place: readonly [number, number];
  readonly selection: Selection;
} & AddPanelProps) {
  const text = mapText();
  return (
    <Actions>
      <MoveHereButton place={{ x, y, z: 0 }} />
      {addedKinds.map((kind) => {
        const Icon = addingIcons[kind];
        return (
          <Button
            key={kind}
            icon={<Icon />}
            onPress={() => {
              addition.begin(kind, { x, y });
              open(kind);
            }}
          >
            {text.adding[kind]}
          </Button>
        );
      })}
    </Actions>
  );
}

/** The switches of layers with samples of their symbols. */
function Legend({ switches, points }: { readonly switches: LayerSwitches; readonly points: readonly Point[] }) {
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
