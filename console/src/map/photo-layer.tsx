import { memo, type ReactNode, useMemo, useSyncExternalStore } from 'react';
import type { Area, Bed } from '../data/bed.ts';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { useZone } from '../data/garden-time.ts';
import { hasPicture } from '../data/photo-states.ts';
import { photoAddress } from '../data/shown-address.ts';
import { useBed, useWebAppConfig } from '../data/singles.ts';
import { dayAt } from '../data/zoned-days.ts';
import { Store } from '../ui/store.ts';
import { around, type Calibration, calibrationOf, type Footprint, footprintOf } from './camera.ts';
import styles from './layers.module.css';
import { mapText } from './text.ts';

/** The newest photos that are shown. */
const maxPhotos = 150;

/** Returns the position of photos on the bed, by the camera's calibration. Suspends. */
export function useCalibration(): Calibration {
  const settings = useRecords('farmware_envs');
  return useMemo(() => calibrationOf(new Map(settings.map(({ key, value }) => [key, value]))), [settings]);
}

/** A photo that can be laid on the map. */
export type PlacedPhoto = RecordOf<'images'> & { readonly meta: { readonly x: number; readonly y: number } };

/** Whether a photo can be laid on the map. */
export const isPlaced = (image: RecordOf<'images'>): image is PlacedPhoto =>
  hasPicture(image) && image.meta.x !== undefined && image.meta.y !== undefined;

interface ClipProps {
  readonly area: Area;
  readonly isOn: boolean;
  readonly children: ReactNode;
}

/** Hides the outside of an area, if it is on. */
const Clip = ({ area, isOn, children }: ClipProps) =>
  isOn ? (
    <svg {...area} viewBox={`${area.x} ${area.y} ${area.width} ${area.height}`} aria-hidden="true">
      {children}
    </svg>
  ) : (
    children
  );

const noTime = new Store(0);

/** Returns the day of a time in the zone of the garden; undefined without one. Suspends. */
function useDay(time: Store<number> | undefined): string | undefined {
  const zone = useZone();
  const { subscribe, get } = time ?? noTime;
  return useSyncExternalStore(subscribe, () => (time ? dayAt(new Date(get()).toISOString(), zone) : undefined));
}

/** Returns the photos of the span that the settings choose, or of the day of a time, the newest last, each with its place on the map. Suspends. */
function useFootprints(bed: Bed, time?: Store<number>) {
  const images = useRecords('images');
  const zone = useZone();
  const day = useDay(time);
  const { photo_filter_begin: begin, photo_filter_end: end } = useWebAppConfig();
  const calibration = useCalibration();
  return images
    .filter(isPlaced)
    .filter(({ created_at }) => day === undefined || dayAt(created_at, zone) === day)
    .filter(({ created_at }) => (begin === null || created_at >= begin) && (end === null || created_at <= end))
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
    .slice(-maxPhotos)
    .map((photo) => ({ photo, footprint: footprintOf(calibration, bed, photo.meta) }));
}

interface LaidPhotoProps {
  readonly address: string;
  readonly footprint: Footprint;
  readonly isCut: boolean;
}

function LaidPhoto({ address, footprint, isCut }: LaidPhotoProps) {
  const { transform, photo, turn, cut, isToScale } = footprint;
  const turning = `rotate(${turn})`;
  const frame = around(isCut ? cut : photo);
  return (
    <g transform={transform}>
      <Clip area={frame} isOn={isCut}>
        <image
          {...around(photo)}
          transform={turning}
          href={address}
          preserveAspectRatio={isToScale ? 'none' : 'xMidYMid slice'}
        />
      </Clip>
      <rect
        {...frame}
        transform={isCut ? undefined : turning}
        className={isToScale ? styles.photoFrame : styles.photoMark}
      />
    </g>
  );
}

interface PhotoLayerProps {
  readonly bed: Bed;
  /** Of whose day photos are shown; all without it. */
  readonly time?: Store<number> | undefined;
}

/** Photos where they were taken, the newest above, cut as the settings say. */
export const PhotoLayer = memo(function PhotoLayer({ bed, time }: PhotoLayerProps) {
  const { crop_images, clip_image_layer } = useWebAppConfig();
  return (
    <Clip area={{ x: 0, y: 0, width: bed.width, height: bed.height }} isOn={clip_image_layer}>
      {useFootprints(bed, time).map(({ photo, footprint }) => (
        <LaidPhoto key={photo.id} address={photoAddress(photo)} footprint={footprint} isCut={crop_images} />
      ))}
    </Clip>
  );
});

/** Gives the reason why photos only mark their places; nothing if they are drawn to scale. */
export function PhotoNote() {
  const text = mapText();
  const { size } = useCalibration();
  const photos = useFootprints(useBed());
  if (photos.every(({ footprint }) => footprint.isToScale)) return null;
  return <p role="note">{size ? text.otherHeight : text.notCalibrated}</p>;
}
