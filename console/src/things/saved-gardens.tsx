import { send } from '../data/api.ts';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { uiText } from '../ui/text.ts';
import { showProblem } from '../ui/toasts.tsx';
import { PointsPreview } from './points-preview.tsx';
import { thingsText } from './text.ts';

/** Keeps the plants of the map as a plan. */
export function SnapshotButton() {
  const text = thingsText().garden;
  const formatTime = useFormatTime();
  const save = async (): Promise<void> => {
    const name = formatTime(Date.now());
    await undoable(text.snapshotDone(name), (label) =>
      send('POST', '/api/saved_gardens/snapshot', { name }, label),
    ).catch(showProblem);
  };
  return <Button onPress={() => void save()}>{text.snapshot}</Button>;
}

/** The plants of a plan, and a button that puts them into the garden. */
export function SavedGardenActions({ garden: { id, name } }: { readonly garden: RecordOf<'saved_gardens'> }) {
  const { garden: text, group } = thingsText();
  const mayWrite = useMayWrite();
  const plants = useRecords('plant_templates').filter((plant) => plant.saved_garden_id === id);
  const apply = async (): Promise<void> => {
    await undoable(
      text.applied(name),
      (label) => send('POST', `/api/saved_gardens/${id}/apply`, undefined, label),
      () => ({ label: group.showOnMap, to: '/map' }),
    ).catch(showProblem);
  };
  return (
    <>
      <h3>{uiText().pair(text.preview, text.plants(plants.length))}</h3>
      <PointsPreview label={text.preview} points={plants} members={new Set(plants.map((plant) => plant.id))} />
      {mayWrite ? (
        <Actions>
          <ConfirmButton
            word={text.apply}
            title={text.apply}
            hint={text.applyQuestion}
            onConfirm={() => void apply()}
          />
        </Actions>
      ) : null}
    </>
  );
}
