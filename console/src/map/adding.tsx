import { useEffect, useRef, useState } from 'react';
import type { Bed } from '../data/bed.ts';
import { bestCrop, type Crop, cropName, useCropSearch, useCrops } from '../data/crops.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { Button } from '../ui/button.tsx';
import { cropPictures } from '../ui/crop-pictures.ts';
import { NumberField, Switch, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { useSubmission } from '../ui/submission.ts';
import { showProblem } from '../ui/toasts.tsx';
import type { Addition } from './addition-state.ts';
import { addedName, addPoints } from './additions.ts';
import { type Filling, filledBed, problemsOf } from './filling.ts';
import styles from './map.module.css';
import { initialsOf } from './points.ts';
import { mapText } from './text.ts';

/** Maximum number of neighbors in a sentence. */
const maxNames = 3;

export interface AddPanelProps {
  readonly addition: Addition;
  readonly bed: Bed;
}

/** The form of an addition and its places: one at each place that is clicked, or rows and columns. */
export function AddPanel({ addition, bed }: AddPanelProps) {
  const text = mapText();
  const { draft: adding, filling, places, choice, isOnPurpose, setFilling } = addition;
  const { kind, crop, name } = adding;
  const submission = useSubmission({ name, filling, crop });
  const { free, taken, tooClose } = choice;
  if (kind === 'plant' && !crop) return <CropSearch onChoose={addition.setCrop} />;
  const problems = problemsOf(filling);
  const number = (field: keyof Filling) => {
    const problem = problems[field];
    return (
      // Without limits of its own, which would replace the input. A kept draft has null for NaN.
      <NumberField
        label={text.filling[field]}
        value={filling[field] ?? Number.NaN}
        onChange={(value) => setFilling({ ...filling, [field]: value })}
        problem={problem && text.fillingProblems[problem]}
      />
    );
  };
  const [cornerX, cornerY] = bed.toGarden(0, 0);
  const [otherX, otherY] = bed.toGarden(bed.width, bed.height);
  return (
    <Form
      onSubmit={() => submission.run(() => addPoints(adding, free))}
      submit={text.addCount(Math.max(1, free.length))}
      isDisabled={free.length === 0}
      submission={submission}
    >
      {kind !== 'plant' ? (
        <TextField
          label={sharedLabels().name}
          value={name}
          onChange={addition.setName}
          placeholder={text.newNames[kind]}
        />
      ) : crop ? (
        <div className={styles.chosenCrop}>
          <CropPicture crop={crop} />
          <div>
            {/* Takes the focus of the search when the crop is chosen. */}
            <h3>{cropName(crop)}</h3>
            {text.spacing(crop.plant_spacing, crop.row_spacing)}
          </div>
          <Button onPress={() => addition.setCrop(undefined)}>{text.otherCrop}</Button>
        </div>
      ) : null}
      <p>{(places.length <= 1 ? text.tapToAdd : text.tapToStart)[kind]}</p>
      <div className={styles.pairs}>
        {number('x')}
        {number('y')}
        {number('columns')}
        {number('columnSpacing')}
        {number('rows')}
        {number('rowSpacing')}
      </div>
      {taken > 0 ? <p>{text.taken(taken, places.length, addedName(adding))}</p> : null}
      {tooClose.length > 0 ? (
        <>
          <p role="status">
            {(isOnPurpose ? text.closeOnPurpose : text.tooClose)(tooClose.slice(0, maxNames), places.length)}
          </p>
          <Switch label={text.plantOnPurpose} isSelected={isOnPurpose} onChange={addition.setOnPurpose} />
        </>
      ) : null}
      <Button onPress={() => setFilling(filledBed(filling, Math.max(cornerX, otherX), Math.max(cornerY, otherY)))}>
        {text.fillBed}
      </Button>
    </Form>
  );
}

const CropPicture = ({ crop }: { readonly crop: Crop }) => {
  const picture = cropPictures[crop.slug];
  return picture ? (
    <img src={picture} alt="" width={32} height={32} />
  ) : (
    <span className={styles.initials} aria-hidden="true">
      {initialsOf(cropName(crop))}
    </span>
  );
};

/** Finds a crop by a name in any language; without one it lists the catalog. */
function CropSearch({ onChoose }: { readonly onChoose: (slug: string) => void }) {
  const text = mapText();
  const [search, setSearch] = useState('');
  const all = useCrops();
  const found = useCropSearch(search);
  /** The text that Enter was pressed for, until it is changed or the search closed. */
  const entered = useRef<string>(null);
  useEffect(
    () => () => {
      entered.current = null;
    },
    [],
  );
  const type = (next: string): void => {
    entered.current = null;
    setSearch(next);
  };
  const chooseBest = async (): Promise<void> => {
    entered.current = search;
    const best = await bestCrop(search);
    if (best && entered.current === search) onChoose(best.slug);
  };
  const crops = search.trim() === '' ? [...all.values()].sort((a, b) => (cropName(a) < cropName(b) ? -1 : 1)) : found;
  return (
    <>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          chooseBest().catch(showProblem);
        }}
      >
        <TextField label={text.searchCrop} type="search" value={search} onChange={type} autoFocus />
      </form>
      {crops?.length === 0 ? <p>{text.noCrop}</p> : null}
      <ul className={styles.list} aria-label={text.crops}>
        {crops?.map((crop) => (
          <li key={crop.slug}>
            <Button tone="quiet" icon={<CropPicture crop={crop} />} onPress={() => onChoose(crop.slug)}>
              {cropName(crop)}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
