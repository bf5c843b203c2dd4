import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatMoment, useZone } from '../data/garden-time.ts';
import { present } from '../data/search.ts';
import { useGarden, useMayWrite } from '../data/singles.ts';
import { momentOf } from '../data/zoned-days.ts';
import { Actions } from '../ui/actions.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Confirmation } from '../ui/dialog.tsx';
import { Failure, Loading } from '../ui/failure.tsx';
import { Check, History, Pencil, Plus, Trash2, Undo2 } from '../ui/icons.tsx';
import { ListDetail, Rows, rowClass } from '../ui/list-detail.tsx';
import { Card, EmptyState, Page } from '../ui/page.tsx';
import { showProblem, showToast } from '../ui/toasts.tsx';
import { changeQuery, type Entry, isReversible, readEntries, useEntries } from './entries.ts';
import { Filters } from './filters.tsx';
import styles from './history.module.css';
import { byRequest, type RequestChanges } from './requests.ts';
import { actionOf, actorName, entrySentence, requestSentence } from './sentences.ts';
import { historyText } from './text.ts';
import { type Undo, useUndoing } from './undoing.tsx';
import { Difference } from './values.tsx';

const historyRoute = getRouteApi('/garden/history');

const icons = { created: Plus, updated: Pencil, deleted: Trash2, kept: Check, mixed: Pencil } as const;

interface RowProps {
  readonly of: RequestChanges<Entry>;
  readonly chosen: number | undefined;
  /** The request may have changed more than the page has read. */
  readonly hasMore: boolean;
  /** Null: the user may not undo. */
  readonly onUndo: ((what: Undo) => void) | null;
}

/** The changes of one request: one, or several that are listed when one of them is chosen. */
function Row({ of: group, chosen, hasMore, onUndo }: RowProps) {
  const text = historyText();
  const zone = useZone();
  const { entries, request } = group;
  const [first] = entries;
  const isSingle = entries.length === 1 && !hasMore;
  const isOpen = !isSingle && entries.some(({ id }) => id === chosen);
  const sentence = requestSentence(group, hasMore);
  const Icon = icons[actionOf(entries)];
  return (
    <>
      <div className={styles.entry}>
        <Link
          to="/history"
          search={(before) => ({ ...before, entry: first.id })}
          resetScroll={false}
          className={rowClass}
          aria-current={isSingle && first.id === chosen ? 'true' : undefined}
        >
          <span className={styles.sentence}>
            <Icon size={18} aria-hidden="true" />
            <span>
              {sentence}
              <small>
                {actorName(first.actor)} · {formatMoment(first.at, zone)}
              </small>
            </span>
          </span>
        </Link>
        {onUndo && (hasMore || entries.some(isReversible)) ? (
          <IconButton
            label={text.undo(sentence)}
            icon={<Undo2 />}
            onPress={() => onUndo(isSingle ? { entry: first } : { request })}
          />
        ) : null}
      </div>
      {isOpen ? (
        <ul className={styles.parts}>
          {entries.map((entry) => (
            <li key={entry.id}>
              <Link
                to="/history"
                search={(before) => ({ ...before, entry: entry.id })}
                resetScroll={false}
                className={rowClass}
                aria-current={entry.id === chosen ? 'true' : undefined}
              >
                {entrySentence(entry)}
              </Link>
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}

interface EntryListProps {
  readonly of: ReturnType<typeof useEntries>;
  readonly groups: readonly RequestChanges<Entry>[];
  readonly chosen: number | undefined;
  readonly isFiltered: boolean;
  readonly mayHaveMore: (group: RequestChanges<Entry>) => boolean;
  /** Null: the user may not undo. */
  readonly onUndo: ((what: Undo) => void) | null;
}

/** The part of the history that was read so far, or the reason why there is none. */
function EntryList({ of: read, groups, chosen, isFiltered, mayHaveMore, onUndo }: EntryListProps) {
  const text = historyText();
  if (read.error) return <Failure error={read.error} retry={() => void read.refetch()} />;
  if (read.isPending) return <Loading />;
  if (groups.length === 0)
    return (
      <EmptyState icon={<History size={40} aria-hidden="true" />} title={isFiltered ? text.noMatch : text.empty}>
        {isFiltered ? text.noMatchHint : text.emptyHint}
      </EmptyState>
    );
  return (
    <div className={styles.stack}>
      <Rows label={text.title} rows={groups} keyOf={({ entries: [first] }) => first.id}>
        {(group) => <Row of={group} chosen={chosen} hasMore={mayHaveMore(group)} onUndo={onUndo} />}
      </Rows>
      {read.hasNextPage ? (
        <Button isDisabled={read.isFetchingNextPage} onPress={() => void read.fetchNextPage()}>
          {read.isFetchingNextPage ? text.reading : text.older}
        </Button>
      ) : (
        <p className={styles.soft}>{text.oldest}</p>
      )}
    </div>
  );
}

/** The history of the garden, with buttons to revert changes. */
export function HistoryPage() {
  const text = historyText();
  const zone = useZone();
  const { resource, record, actor, from, to, entry: chosen } = historyRoute.useSearch();
  const mayWrite = useMayWrite();
  const isOwner = useGarden().role === 'owner';
  const { undo, question } = useUndoing();
  const read = useEntries(
    present({
      resource,
      record_id: record,
      actor: actor === undefined ? undefined : String(actor),
      from: from && momentOf(from, '00:00', zone),
      to: to && momentOf(to, '23:59:59.999', zone),
    }),
  );
  const { entries, hasNextPage } = read;
  const isFiltered = [resource, record, actor, from, to].some((each) => each !== undefined);
  const groups = byRequest(entries);
  const chosenGroup = groups.find((group) => group.entries.some(({ id }) => id === chosen));
  // A request may continue on the next page.
  const mayHaveMore = (group: RequestChanges<Entry>): boolean => hasNextPage && group === groups.at(-1);

  return (
    <Page
      title={text.title}
      actions={isOwner && entries.length > 0 ? <UndoHour onUndo={(what) => void undo(what)} /> : null}
      bar={<Filters entries={entries} />}
    >
      <ListDetail
        list={
          <EntryList
            of={read}
            groups={groups}
            chosen={chosen}
            isFiltered={isFiltered}
            mayHaveMore={mayHaveMore}
            onUndo={mayWrite ? (what) => void undo(what) : null}
          />
        }
        detail={
          chosen === undefined ? null : (
            <EntryDetail
              key={chosen}
              id={chosen}
              listed={chosenGroup?.entries.length ?? 1}
              hasMore={chosenGroup !== undefined && mayHaveMore(chosenGroup)}
              onUndo={(what) => void undo(what)}
            />
          )
        }
      />
      {question}
    </Page>
  );
}

interface EntryDetailProps {
  readonly id: number;
  /** The number of listed changes of its request. */
  readonly listed: number;
  /** There may be more. */
  readonly hasMore: boolean;
  readonly onUndo: (what: Undo) => void;
}

/** One change: its author, the differences, and a button to revert it. */
function EntryDetail({ id, listed, hasMore, onUndo }: EntryDetailProps) {
  const text = historyText();
  const zone = useZone();
  const mayWrite = useMayWrite();
  const { data: change, error, refetch } = useQuery(changeQuery(id));
  const back = (
    <Link to="/history" search={(before) => ({ ...before, entry: undefined })} resetScroll={false}>
      {text.back}
    </Link>
  );
  if (error)
    return (
      <Card actions={back}>
        <Failure error={error} retry={() => void refetch()} />
      </Card>
    );
  if (!change)
    return (
      <Card actions={back}>
        <Loading />
      </Card>
    );
  const isPart = listed > 1 || hasMore;
  return (
    <Card title={entrySentence(change)} actions={back}>
      <p className={styles.soft}>
        {actorName(change.actor)} · {formatMoment(change.at, zone)}
      </p>
      {isPart ? <p>{text.together(listed, hasMore)}</p> : null}
      {change.resource === 'Image' && change.action === 'deleted' ? <p>{text.lost}</p> : null}
      {change.action === 'kept' ? <p>{text.keptHint}</p> : null}
      {mayWrite ? (
        <Actions>
          {isReversible(change) ? <Button onPress={() => onUndo({ entry: change })}>{text.undoOne}</Button> : null}
          {isPart ? <Button onPress={() => onUndo({ request: change.request })}>{text.undoRequest}</Button> : null}
        </Actions>
      ) : null}
      <Difference change={change} />
      <Link to="/history" search={{ resource: change.resource, record: change.record_id, entry: id }}>
        {text.ofRecord}
      </Link>
    </Card>
  );
}

const hour = 3_600_000;
/** Changes that are counted. */
const maxCounted = 200;

interface Span {
  readonly since: string;
  readonly count: number;
  readonly who: readonly string[];
  /** Photos that were taken in that hour: undoing deletes them permanently. */
  readonly photos: number;
}

/** Reverts all changes of the last hour, after a confirmation that shows their number. */
function UndoHour({ onUndo }: { readonly onUndo: (what: Undo) => void }) {
  const text = historyText();
  const [asked, setAsked] = useState<Span | null>(null);
  const ask = async (): Promise<void> => {
    const since = new Date(Date.now() - hour).toISOString();
    try {
      const listed = await readEntries({ from: since, limit: maxCounted });
      const entries = listed.filter(({ action }) => action !== 'kept');
      if (entries.length === 0) return void showToast({ text: text.nothingToUndo });
      setAsked({
        since,
        count: entries.length,
        who: [...new Set(entries.map(({ actor }) => actorName(actor)))],
        photos: entries.filter(({ resource, action }) => resource === 'Image' && action === 'created').length,
      });
    } catch (error) {
      showProblem(error);
    }
  };
  return (
    <>
      <Button icon={<History />} onPress={() => void ask()}>
        {text.undoHour}
      </Button>
      <Confirmation
        title={text.undoHour}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        confirm={text.undoHour}
        onConfirm={() => asked && onUndo({ since: asked.since })}
      >
        {asked ? (
          <>
            <p>{text.undoHourQuestion(text.changes(asked.count, asked.count >= maxCounted), asked.who.join(', '))}</p>
            {asked.photos > 0 ? <p>{text.undoHourPhotos}</p> : null}
          </>
        ) : null}
      </Confirmation>
    </>
  );
}
