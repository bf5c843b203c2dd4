import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { deleteRecords } from '../data/changes.ts';
import { runCommand } from '../data/commands.ts';
import { FirstRobot, useHasNoRobot } from '../data/first-robot.tsx';
import { formatClock, formatDate, formatMoment, useZone } from '../data/garden-time.ts';
import { isPending } from '../data/photo-states.ts';
import { useIsConnected } from '../data/robot.ts';
import { photoAddress } from '../data/shown-address.ts';
import { useMayWrite } from '../data/singles.ts';
import { Button } from '../ui/button.tsx';
import { Confirmation } from '../ui/dialog.tsx';
import { Camera, Check, Trash2 } from '../ui/icons.tsx';
import { EmptyState, Notice, Page } from '../ui/page.tsx';
import { showProblem, showToast } from '../ui/toasts.tsx';
import { PhotoViewer } from './photo-viewer.tsx';
import styles from './photos.module.css';
import { type Photo, type PhotoDay, placeOf, usePhotoDays, usePhotos } from './photos.ts';
import { photosText } from './text.ts';

const photosRoute = getRouteApi('/garden/photos');

/** A button to take a photo, with the outcome. */
function TakeButton({ onTaking }: { readonly onTaking: (isTaking: boolean) => void }) {
  const text = photosText();
  const isConnected = useIsConnected();
  const [isTaking, setTaking] = useState(false);
  const take = async (): Promise<void> => {
    setTaking(true);
    onTaking(true);
    await runCommand(text.take, { kind: 'take_photo', args: {} });
    setTaking(false);
    onTaking(false);
  };
  return (
    <Button tone="primary" icon={<Camera />} isDisabled={isTaking || !isConnected} onPress={() => void take()}>
      {text.take}
    </Button>
  );
}

/** The content of a tile: the picture and its time. */
function Picture({ photo, zone }: { readonly photo: Photo; readonly zone: string }) {
  return (
    <>
      {isPending(photo) ? (
        <span className={styles.tilePlain}>{photosText().processing}</span>
      ) : (
        <img src={photoAddress(photo, 'x320')} alt="" loading="lazy" decoding="async" />
      )}
      <span className={styles.clock} aria-hidden="true">
        {formatClock(photo.created_at, zone)}
      </span>
    </>
  );
}

interface DayProps {
  readonly of: PhotoDay;
  /** The ids of the chosen ones; null while a tile opens its photo. */
  readonly chosen: ReadonlySet<number> | null;
  readonly onChoose: (ids: readonly number[]) => void;
}

function Day({ of: { day, photos }, chosen, onChoose }: DayProps) {
  const text = photosText();
  const zone = useZone();
  const nameOf = (photo: Photo): string => {
    const [when, place] = [formatMoment(photo.created_at, zone), placeOf(photo)];
    return place === null ? text.photo(when) : text.photoAt(when, place);
  };
  const [first] = photos;
  return (
    <section className={styles.day} aria-labelledby={`day-${day}`}>
      <div className={styles.dayHead}>
        <h2 id={`day-${day}`}>{first ? formatDate(first.created_at, zone) : day}</h2>
        {chosen ? <Button onPress={() => onChoose(photos.map(({ id }) => id))}>{text.selectDay}</Button> : null}
      </div>
      <ul className={styles.grid}>
        {photos.map((photo) => (
          <li key={photo.id}>
            {chosen ? (
              <button
                type="button"
                className={styles.tile}
                aria-label={nameOf(photo)}
                aria-pressed={chosen.has(photo.id)}
                onClick={() => onChoose([photo.id])}
              >
                <Picture photo={photo} zone={zone} />
                <span className={styles.check} aria-hidden="true">
                  {chosen.has(photo.id) ? <Check size={18} strokeWidth={3} /> : null}
                </span>
              </button>
            ) : (
              <Link
                to="/photos"
                search={{ photo: photo.id }}
                resetScroll={false}
                className={styles.tile}
                aria-label={isPending(photo) ? `${nameOf(photo)}. ${text.processing}` : nameOf(photo)}
              >
                <Picture photo={photo} zone={zone} />
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Gives the reason why no photo can be taken now. The empty page has buttons for a first robot instead. */
function OfflineNotice({ isEmpty }: { readonly isEmpty: boolean }) {
  const mayWrite = useMayWrite();
  const isConnected = useIsConnected();
  const hasNoRobot = useHasNoRobot();
  return mayWrite && !isConnected && !(hasNoRobot && isEmpty) ? <Notice>{photosText().offline}</Notice> : null;
}

/** The photos of the garden by day, one of them full screen. */
export function PhotosPage() {
  const text = photosText();
  const { photo: shownId, select: isSelecting = false } = photosRoute.useSearch();
  const navigate = useNavigate({ from: '/photos' });
  const mayWrite = useMayWrite();
  const hasNoRobot = useHasNoRobot();
  const photos = usePhotos();
  const days = usePhotoDays(photos);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [asked, setAsked] = useState<readonly number[] | null>(null);
  const [isTaking, setTaking] = useState(false);
  const shown = photos.find(({ id }) => id === shownId);
  const selected = photos.flatMap(({ id }) => (chosen.has(id) ? [id] : []));

  const show = useCallback(
    (next: Photo | undefined, isReplaced = true): void =>
      void navigate({ search: next ? { photo: next.id } : {}, replace: isReplaced, resetScroll: false }),
    [navigate],
  );
  const choose = (ids: readonly number[]): void => {
    const next = new Set(chosen);
    const isAll = ids.every((id) => next.has(id));
    for (const id of ids) isAll ? next.delete(id) : next.add(id);
    setChosen(next);
  };
  const endSelecting = (): void => {
    setChosen(new Set());
    void navigate({ search: {}, resetScroll: false });
  };

  const remove = async (ids: readonly number[]): Promise<void> => {
    if (shown && ids.includes(shown.id)) {
      const index = photos.indexOf(shown);
      show(photos[index + 1] ?? photos[index - 1]);
    }
    let deleted = 0;
    try {
      // One request each: files cannot be part of a transaction.
      for (const id of ids) {
        await deleteRecords('images', [id]);
        deleted++;
      }
    } catch (error) {
      showProblem(error);
    }
    if (deleted > 0) showToast({ text: text.deleted(deleted) });
    setChosen(new Set());
  };

  return (
    <Page
      title={text.title}
      width="full"
      actions={
        mayWrite ? (
          <>
            {photos.length === 0 ? null : isSelecting ? (
              <>
                <span role="status">{text.selected(selected.length)}</span>
                <Button
                  tone="danger"
                  icon={<Trash2 />}
                  isDisabled={selected.length === 0}
                  onPress={() => setAsked(selected)}
                >
                  {text.delete}
                </Button>
                <Button onPress={endSelecting}>{text.endSelecting}</Button>
              </>
            ) : (
              <Button onPress={() => void navigate({ search: { select: true }, resetScroll: false })}>
                {text.select}
              </Button>
            )}
            {photos.length > 0 && !isSelecting ? <TakeButton onTaking={setTaking} /> : null}
          </>
        ) : null
      }
    >
      <OfflineNotice isEmpty={photos.length === 0} />
      {isTaking ? <Notice>{text.taking}</Notice> : null}
      {shownId !== undefined && !shown ? <Notice tone="warn">{text.unknown}</Notice> : null}
      {photos.length === 0 ? (
        <EmptyState
          icon={<Camera size={40} aria-hidden="true" />}
          title={text.empty}
          action={!mayWrite ? null : hasNoRobot ? <FirstRobot /> : <TakeButton onTaking={setTaking} />}
        >
          {mayWrite && !hasNoRobot ? text.emptyHint : text.emptyViewer}
        </EmptyState>
      ) : null}
      {days.map((day) => (
        <Day key={day.day} of={day} chosen={isSelecting && mayWrite ? chosen : null} onChoose={choose} />
      ))}
      {shown ? (
        <PhotoViewer
          photos={photos}
          photo={shown}
          onShow={show}
          onClose={() => show(undefined, false)}
          onDelete={({ id }) => setAsked([id])}
        />
      ) : null}
      <Confirmation
        title={text.deleteTitle(asked?.length ?? 0)}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        confirm={text.delete}
        onConfirm={() => void remove(asked ?? [])}
      >
        {text.deleteText}
      </Confirmation>
    </Page>
  );
}
