import { Link } from '@tanstack/react-router';
import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { formatMoment, useZone } from '../data/garden-time.ts';
import { isPending } from '../data/photo-states.ts';
import { useLabels } from '../data/schemas.ts';
import { photoAddress } from '../data/shown-address.ts';
import { useMayWrite } from '../data/singles.ts';
import { IconButton, ToggleIconButton } from '../ui/button.tsx';
import { FullScreen } from '../ui/full-screen.tsx';
import { ChevronLeft, ChevronRight, Download, Info, MapPin, Maximize, Trash2, ZoomIn, ZoomOut } from '../ui/icons.tsx';
import { type ShortcutGroup, useShortcuts } from '../ui/shortcuts.ts';
import styles from './photos.module.css';
import { fileNameOf, type Photo, placeOf } from './photos.ts';
import { photosText } from './text.ts';
import { moved, type Size, whole, type Zoom, zoomed } from './zoom.ts';

const step = 1.5;

export interface PhotoViewerProps {
  readonly photos: readonly Photo[];
  readonly photo: Photo;
  readonly onShow: (photo: Photo) => void;
  readonly onClose: () => void;
  readonly onDelete: (photo: Photo) => void;
}

/** Details of a photo. */
function Details({ photo }: { readonly photo: Photo }) {
  const text = photosText();
  const zone = useZone();
  const labelOf = useLabels('Image');
  const { x: _x, y: _y, z: _z, ...others } = photo.meta;
  const rows: readonly (readonly [string, string])[] = [
    [text.taken, formatMoment(photo.created_at, zone)],
    [text.where, placeOf(photo) ?? text.noPlace],
    ...(photo.attachment_processed_at === null
      ? []
      : [[text.processed, formatMoment(photo.attachment_processed_at, zone)] as const]),
    [text.number, String(photo.id)],
    ...Object.entries(others).map(
      ([name, value]) => [labelOf(name), typeof value === 'string' ? value : JSON.stringify(value)] as const,
    ),
  ];
  return (
    <dl className={styles.details}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** One photo on all of the screen; the keys and buttons lead to the others. */
export function PhotoViewer({ photos, photo, onShow, onClose, onDelete }: PhotoViewerProps) {
  const text = photosText();
  const zone = useZone();
  const mayWrite = useMayWrite();
  const [zooming, setZooming] = useState({ id: photo.id, zoom: whole });
  const [hasDetails, setDetails] = useState(false);
  // Another photo is shown whole.
  const zoom = zooming.id === photo.id ? zooming.zoom : whole;
  const index = photos.indexOf(photo);
  const newer = photos[index - 1];
  const older = photos[index + 1];
  const place = placeOf(photo);
  const when = formatMoment(photo.created_at, zone);

  const shortcuts = useMemo((): ShortcutGroup => {
    const by = (factor: number) => () => setZooming((now) => centered(now, photo.id, factor));
    const go = (next: Photo | undefined) => () => next && onShow(next);
    return {
      title: () => photosText().title,
      shortcuts: [
        { keys: 'ArrowLeft', label: () => photosText().previous, run: go(newer) },
        { keys: 'ArrowRight', label: () => photosText().next, run: go(older) },
        { keys: '+', label: () => photosText().zoomIn, run: by(step) },
        { keys: '-', label: () => photosText().zoomOut, run: by(1 / step) },
        { keys: '0', label: () => photosText().fit, run: by(0) },
      ],
    };
  }, [photo.id, newer, older, onShow]);
  useShortcuts(shortcuts);

  const zoomBy = (factor: number): void => setZooming((now) => centered(now, photo.id, factor));
  const isReady = !isPending(photo);
  return (
    <FullScreen
      title={`${text.of(index + 1, photos.length)} · ${when}`}
      isOpen
      onClose={onClose}
      bar={
        <>
          {hasDetails ? <Details photo={photo} /> : null}
          <IconButton
            label={text.previous}
            icon={<ChevronLeft />}
            isDisabled={!newer}
            onPress={() => newer && onShow(newer)}
          />
          <IconButton
            label={text.next}
            icon={<ChevronRight />}
            isDisabled={!older}
            onPress={() => older && onShow(older)}
          />
          <IconButton
            label={text.zoomOut}
            icon={<ZoomOut />}
            isDisabled={!isReady || zoom.scale === 1}
            onPress={() => zoomBy(1 / step)}
          />
          <IconButton
            label={text.fit}
            icon={<Maximize />}
            isDisabled={!isReady || zoom.scale === 1}
            onPress={() => zoomBy(0)}
          />
          <IconButton label={text.zoomIn} icon={<ZoomIn />} isDisabled={!isReady} onPress={() => zoomBy(step)} />
          <ToggleIconButton label={text.details} icon={<Info />} isSelected={hasDetails} onChange={setDetails} />
          {isReady ? (
            <a className={styles.iconLink} href={photoAddress(photo)} download={fileNameOf(photo, zone)}>
              <Download aria-hidden="true" />
              <span className={styles.hidden}>{text.download}</span>
            </a>
          ) : null}
          {mayWrite ? <IconButton label={text.delete} icon={<Trash2 />} onPress={() => onDelete(photo)} /> : null}
          {place === null ? null : (
            <Link
              to="/map"
              search={{ place: `${Math.round(photo.meta.x ?? 0)},${Math.round(photo.meta.y ?? 0)}` }}
              className={styles.place}
            >
              <MapPin size={18} aria-hidden="true" />
              <span>{place}</span>
              <span className={styles.hidden}>{text.onMap}</span>
            </Link>
          )}
        </>
      }
    >
      {isReady ? (
        <PhotoFrame
          source={photoAddress(photo)}
          name={place === null ? text.photo(when) : text.photoAt(when, place)}
          zoom={zoom}
          onZoom={(change) =>
            setZooming((now) => ({ id: photo.id, zoom: change(now.id === photo.id ? now.zoom : whole) }))
          }
          onTurn={(turn) => {
            const next = turn === 1 ? older : newer;
            if (next) onShow(next);
          }}
        />
      ) : (
        <p role="status" className={styles.waiting}>
          {text.processingHint}
        </p>
      )}
    </FullScreen>
  );
}

interface Zooming {
  readonly id: number;
  readonly zoom: Zoom;
}

/** Enlarges around the middle of the screen. */
const centered = (now: Zooming, id: number, factor: number): Zooming => ({
  id,
  zoom: zoomed(now.id === id ? now.zoom : whole, factor, [0, 0], { width: innerWidth, height: innerHeight }),
});

/** How far the finger goes sideways to turn to another photo, in px. */
const swipe = 60;
const doubled = 2.5;

interface PhotoFrameProps {
  readonly source: string;
  readonly name: string;
  readonly zoom: Zoom;
  readonly onZoom: (change: (zoom: Zoom) => Zoom) => void;
  /** Turns to the newer (-1) or older (1) photo. */
  readonly onTurn: (step: -1 | 1) => void;
}

const distance = (a: PointerEvent, b: PointerEvent): number => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);

/** A picture that is enlarged by wheel and pinch, moved by dragging, and turned by swiping. */
function PhotoFrame({ source, name, zoom, onZoom, onTurn }: PhotoFrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  const pointers = useRef(new Map<number, PointerEvent>());
  const start = useRef<number | null>(null);

  const zoomAt = useRef<(factor: number, clientX: number, clientY: number) => void>(() => undefined);
  const sizeOf = (): Size => frame.current?.getBoundingClientRect() ?? { width: 0, height: 0 };
  zoomAt.current = (factor, clientX, clientY) => {
    const box = frame.current?.getBoundingClientRect();
    if (!box) return;
    const point = [clientX - box.left - box.width / 2, clientY - box.top - box.height / 2] as const;
    onZoom((before) => zoomed(before, factor, point, box));
  };

  useEffect(() => {
    const element = frame.current;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      zoomAt.current(Math.exp(-event.deltaY / 400), event.clientX, event.clientY);
    };
    // Not passive: else the page would be enlarged, too.
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, []);

  const move = (event: PointerEvent): void => {
    const before = pointers.current.get(event.pointerId);
    if (!before) return;
    const other = [...pointers.current.values()].find(({ pointerId }) => pointerId !== event.pointerId);
    pointers.current.set(event.pointerId, event);
    if (other) {
      start.current = null;
      const factor = distance(event, other) / Math.max(distance(before, other), 1);
      zoomAt.current(factor, (event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2);
    } else if (zoom.scale > 1)
      onZoom((now) => moved(now, event.clientX - before.clientX, event.clientY - before.clientY, sizeOf()));
  };

  const end = (event: PointerEvent): void => {
    pointers.current.delete(event.pointerId);
    const from = start.current;
    start.current = null;
    if (event.type === 'pointercancel' || from === null || zoom.scale > 1 || Math.abs(event.clientX - from) < swipe)
      return;
    onTurn(event.clientX < from ? 1 : -1);
  };

  return (
    // The buttons and keys of the page do the same.
    <div
      role="group"
      ref={frame}
      className={styles.frame}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        pointers.current.set(event.pointerId, event);
        start.current = pointers.current.size === 1 && event.pointerType === 'touch' ? event.clientX : null;
      }}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={({ clientX, clientY }) => zoomAt.current(zoom.scale > 1 ? 0 : doubled, clientX, clientY)}
    >
      <img
        src={source}
        alt={name}
        draggable={false}
        style={{ transform: `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.scale})` }}
      />
    </div>
  );
}
