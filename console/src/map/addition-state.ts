import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { type Crop, useCrops } from '../data/crops.ts';
import { useDraft } from '../ui/draft.ts';
import { type AddedKind, type Adding, addPoints, choosePlaces, isAddedKind } from './additions.ts';
import { type Filling, fillingOf, oneFilling, type Place, placesOf, singleOf } from './filling.ts';
import { useGrowthSource } from './map-data.ts';
import type { Choice } from './place-choice.ts';
import type { Point } from './points.ts';
import type { Selection } from './selection-state.ts';

type ByKind<T> = Readonly<Partial<Record<AddedKind, T>>>;

const noChoice: Choice = { free: [], taken: 0, tooClose: [] };

/** The addition of points that is being made. */
export type Addition = ReturnType<typeof useAddition>;

/** Returns the addition of the map's address, with its drafts: each kind has its own, since rows of plants are not meant for weeds. */
export function useAddition(
  { panel, crop: slug, place, open }: Selection,
  mayWrite: boolean,
  points: readonly Point[],
) {
  const [fillings, setFillings] = useDraft<ByKind<Filling>>('map fillings', {});
  const [names, setNames] = useDraft<ByKind<string>>('map names', {});
  /** The place and the crop of the address that the form was filled for: later input stays. */
  const [filledFor, setFilledFor] = useDraft('map filled for', '');
  const crops = useCrops();
  const kind = mayWrite && isAddedKind(panel) ? panel : undefined;
  const crop: Crop | undefined = slug === undefined ? undefined : crops.get(slug);
  const shown = kind ?? 'plant';
  const filling = fillings[shown] ?? oneFilling;
  const name = names[shown] ?? '';
  const setFilling = (next: Filling, of: AddedKind = shown): void => setFillings({ ...fillings, [of]: next });
  const subject = `${kind} ${crop?.slug ?? ''}`;
  const named = kind && `${subject} ${place ?? ''}`;
  /** What is added even where it is too close to others. */
  const [purpose, setPurpose] = useState<string>();
  const isOnPurpose = purpose === subject;
  const fill = useEffectEvent((): void => {
    if (!named || named === filledFor) return;
    setFilledFor(named);
    setFilling(fillingOf(filling, place, crop));
  });
  useEffect(() => {
    if (named) fill();
  }, [named]);
  const adding: Adding = useMemo(() => ({ kind: shown, crop, name }), [shown, crop, name]);
  const isReady = kind !== undefined && (kind !== 'plant' || crop !== undefined);
  const places = useMemo(() => (isReady ? placesOf(filling) : []), [isReady, filling]);
  const source = useGrowthSource();
  const choice = useMemo(
    () => (isReady ? choosePlaces(adding, filling, places, points, source, isOnPurpose) : noChoice),
    [isReady, adding, filling, places, points, source, isOnPurpose],
  );
  return {
    kind,
    /** What is added; undefined until it is chosen. */
    adding: isReady ? adding : undefined,
    /** The same, or what the form begins with. */
    draft: adding,
    filling,
    places,
    choice,
    isOnPurpose,
    setFilling,
    setOnPurpose: (next: boolean): void => setPurpose(next ? subject : undefined),
    setName: (next: string): void => setNames({ ...names, [shown]: next }),
    setCrop: (next: string | undefined): void => open('plant', next),
    /** Begins to add single points of a kind: at a place, or where the last ones were added. */
    begin: (of: AddedKind, at?: Place): void => setFilling({ ...singleOf(fillings[of] ?? oneFilling), ...at }, of),
    /** Adds a point at a tapped place, or begins a row there. */
    tap(at: Place): void {
      setFilling({ ...filling, ...at });
      if (places.length === 1)
        void addPoints(adding, choosePlaces(adding, filling, [at], points, source, isOnPurpose).free);
    },
  };
}
