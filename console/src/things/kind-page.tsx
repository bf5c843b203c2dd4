import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { send } from '../data/api.ts';
import { choiceLabel } from '../data/choice-label.ts';
import { useRecords } from '../data/collections.ts';
import { DeleteButton } from '../data/delete-button.tsx';
import { useFormatTime } from '../data/garden-time.ts';
import { listTitle } from '../data/resource-names.ts';
import { nameOf } from '../data/schema-fields.tsx';
import { sharedLabels } from '../data/shared-labels.ts';
import { useMayWrite } from '../data/singles.ts';
import { dataText } from '../data/text.ts';
import { undoable } from '../data/undo.ts';
import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { equipmentPictures } from '../ui/equipment-pictures.tsx';
import { FindField } from '../ui/find-field.tsx';
import { Plus } from '../ui/icons.tsx';
import { plain } from '../ui/letters.ts';
import { ListDetail } from '../ui/list-detail.tsx';
import { type Column, Listing } from '../ui/listing.tsx';
import { Card, EmptyState, Notice, Page } from '../ui/page.tsx';
import { uiText } from '../ui/text.ts';
import { showProblem } from '../ui/toasts.tsx';
import { kinds } from './kinds.ts';
import { PointsPreview } from './points-preview.tsx';
import { RecordForm } from './record-form.tsx';
import { SavedPlants } from './saved-plants.tsx';
import { thingsText } from './text.ts';
import styles from './things.module.css';

const kindRoute = getRouteApi('/garden/things/$kind');

/** Minimum number of entries for a search field. */
const searchedFrom = 8;

/** The things of one kind: a list, and the chosen one beside it. */
export function KindPage() {
  const text = thingsText();
  const { kind: name } = kindRoute.useParams();
  const kind = kinds.find(({ collection }) => collection === name);
  if (!kind)
    return (
      <Page title={text.title}>
        <EmptyState title={text.unknown} action={<Link to="/things">{text.title}</Link>} />
      </Page>
    );
  return <KnownKindPage key={name} kind={kind} />;
}

type Kind = (typeof kinds)[number];
type Thing = ReturnType<typeof useRecords<Kind['collection']>>[number];

function KnownKindPage({ kind }: { readonly kind: Kind }) {
  const text = thingsText();
  const { collection, icon: Icon } = kind;
  const title = listTitle(collection);
  const { id, new: isNew = false } = kindRoute.useSearch();
  const navigate = useNavigate({ from: '/things/$kind' });
  const mayWrite = useMayWrite();
  const records = useRecords(collection);
  const add = mayWrite ? (
    <Button tone="primary" icon={<Plus />} onPress={() => void navigate({ search: { new: true } })}>
      {text.add}
    </Button>
  ) : null;
  return (
    <Page
      title={title}
      actions={
        <>
          {collection === 'saved_gardens' && mayWrite ? <SnapshotButton /> : null}
          {records.length > 0 ? add : null}
        </>
      }
    >
      <ListDetail
        list={
          records.length === 0 ? (
            <EmptyState icon={<Icon size={40} aria-hidden="true" />} title={text.nothing} action={add}>
              {text.kinds[collection]}
            </EmptyState>
          ) : (
            <RecordList kind={kind} records={records} chosen={id} />
          )
        }
        detail={
          isNew || id !== undefined ? (
            <RecordDetail kind={kind} record={records.find((each) => each.id === id) ?? null} isNew={isNew} />
          ) : null
        }
      />
    </Page>
  );
}

interface RecordListProps {
  readonly kind: Kind;
  readonly records: readonly Thing[];
  readonly chosen: number | undefined;
}

/** The things; of many, the matches of a search. */
function RecordList({ kind: { collection }, records, chosen }: RecordListProps) {
  const text = thingsText();
  const { find = '', sort } = kindRoute.useSearch();
  const navigate = useNavigate({ from: '/things/$kind' });
  const mayWrite = useMayWrite();
  const needle = plain(find);
  const shown = records.filter((record) => plain(nameOf(record)).includes(needle));
  const kept = { ...(find && { find }), ...(sort && { sort }) };
  const name: Column<Thing> = {
    id: 'name',
    label: sharedLabels().name,
    value: nameOf,
    cell: (each) => (
      <Link
        to="/things/$kind"
        params={{ kind: collection }}
        search={{ id: each.id, ...kept }}
        aria-current={each.id === chosen ? 'true' : undefined}
      >
        <span className={styles.named}>
          <EquipmentPicture thing={each} />
          {nameOf(each)}
        </span>
      </Link>
    ),
  };
  const details: Column<Thing> = { id: 'details', label: text.details, value: remarkOf };
  return (
    <div className={styles.stack}>
      {records.length >= searchedFrom ? <FindField label={text.find} /> : null}
      {shown.length === 0 ? (
        <p>{text.noMatch}</p>
      ) : (
        <Listing
          label={listTitle(collection)}
          count={dataText().entries(shown.length)}
          rows={shown}
          keyOf={({ id }) => id}
          nameOf={nameOf}
          columns={records.some((each) => remarkOf(each) !== null) ? [name, details] : [name]}
          sort={sort}
          onSort={(next) => void navigate({ search: (before) => ({ ...before, sort: next }), replace: true })}
          current={chosen}
          actions={
            mayWrite
              ? (selected, clear) => <DeleteButton collection={collection} records={selected} onDone={clear} />
              : undefined
          }
        />
      )}
    </div>
  );
}

/** The picture of the type of a tool, peripheral or sensor. */
function EquipmentPicture({ thing }: { readonly thing: Thing }) {
  const type = 'type' in thing && !('data' in thing) ? thing.type : 'none';
  const Picture = type === 'none' ? undefined : equipmentPictures[String(type)];
  return Picture ? <Picture size={20} /> : null;
}

/** The details of a thing beside its name. */
function remarkOf(thing: Thing): string | null {
  if ('pin' in thing) return `${sharedLabels().pin} ${thing.pin}`;
  const action = 'special_action' in thing ? thing.special_action : null;
  return action ? (choiceLabel('special_action', action) ?? null) : null;
}

interface RecordDetailProps {
  readonly kind: Kind;
  /** Null: there is none, or not yet. */
  readonly record: Thing | null;
  readonly isNew: boolean;
}

/** The form of a thing, and the actions on it. */
function RecordDetail({ kind, record, isNew }: RecordDetailProps) {
  const text = thingsText();
  const { collection } = kind;
  const { find } = kindRoute.useSearch();
  const navigate = useNavigate({ from: '/things/$kind' });
  const mayWrite = useMayWrite();
  const kept = find ? { find } : {};
  const choose = (id: number | null): Promise<void> => navigate({ search: { ...(id ? { id } : {}), ...kept } });
  return (
    <Card
      title={record && !isNew ? nameOf(record) : listTitle(collection, 'one')}
      actions={
        <Link to="/things/$kind" params={{ kind: collection }} search={kept}>
          {text.back}
        </Link>
      }
    >
      {isNew || record ? (
        <RecordForm key={record?.id ?? 'new'} kind={kind} record={record} onDone={(saved) => void choose(saved)} />
      ) : (
        <p>{text.unknown}</p>
      )}
      {record && 'url' in record && collection === 'webcam_feeds' ? (
        <Webcam key={record.url} url={record.url} name={nameOf(record)} />
      ) : null}
      {record && collection === 'farmware_installations' && mayWrite ? (
        <Actions>
          <Button
            onPress={() => void send('POST', `/api/farmware_installations/${record.id}/refresh`).catch(showProblem)}
          >
            {text.refresh}
          </Button>
        </Actions>
      ) : null}
      {record && collection === 'saved_gardens' ? <SavedGardenActions id={record.id} name={nameOf(record)} /> : null}
    </Card>
  );
}

/** Keeps the plants of the map as a plan. */
function SnapshotButton() {
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
function SavedGardenActions({ id, name }: { readonly id: number; readonly name: string }) {
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
      {plants.length > 0 ? <SavedPlants plants={plants} /> : null}
    </>
  );
}

/** The picture of a webcam, or a message if it cannot be loaded. */
function Webcam({ url, name }: { readonly url: string; readonly name: string }) {
  const [failed, setFailed] = useState(false);
  if (failed) return <Notice tone="warn">{thingsText().webcamFails}</Notice>;
  return (
    <img className={styles.webcam} src={url} alt={name} referrerPolicy="no-referrer" onError={() => setFailed(true)} />
  );
}
