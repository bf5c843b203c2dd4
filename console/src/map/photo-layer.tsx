import { memo, useMemo } from 'react';
import type { Bed } from '../data/bed.ts';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { photoAddress } from '../data/shown-address.ts';
import { useBed, useWebAppConfig } from '../data/singles.ts';
import { type Calibration, calibrationOf, footprintOf } from './camera.ts';
import styles from './layers.module.css';
import { mapText } from './text.ts';

/** The newest photos that are shown. */
const maxPhotos = 150;

/** Returns how photos lie on the bed, by the camera's calibration. Suspends. */
export function useCalibration(): Calibration {
  const settings = useRecords('farmware_envs');
  return useMemo(() => calibrationOf(new Map(settings.map(({ key, value }) => [key, value]))), [settings]);
}

type Placed = RecordOf<'images'> & { readonly meta: { readonly x: number; readonly y: number } };

const isPlaced = (image: RecordOf<'images'>): image is Placed =>
  image.attachment_processed_at !== null && image.meta.x !== undefined && image.meta.y !== undefined;

/** Returns the photos of the span that the settings choose, the newest last, each with how it lies. Suspends. */
function useFootprints(bed: Bed) {
  const images = useRecords('images');
  const { photo_filter_begin: begin, photo_filter_end: end } = useWebAppConfig();
  const calibration = useCalibration();
  return images
    .filter(isPlaced)
    .filter(({ created_at }) => (begin === null || created_at >= begin) && (end === null || created_at <= end))
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
    .slice(-maxPhotos)
    .map((photo) => ({ photo, footprint: footprintOf(calibration, bed, photo.meta) }));
}

/** Photos where they were taken, the newest above. */
export const PhotoLayer = memo(function PhotoLayer({ bed }: { readonly bed: Bed }) {
  return useFootprints(bed).map(({ photo, footprint: { width, height, transform, isToScale } }) => {
    const frame = { x: -width / 2, y: -height / 2, width, height };
    return (
      <g key={photo.id} transform={transform}>
        <image {...frame} href={photoAddress(photo)} preserveAspectRatio={isToScale ? 'none' : 'xMidYMid slice'} />
        <rect {...frame} className={isToScale ? styles.photoFrame : styles.photoMark} />
      </g>
    );
  });
});

/** Says why photos only mark the place where they were taken; nothing where they lie to scale. */
export function PhotoNote() {
  const text = mapText();
  const { size } = useCalibration();
  const photos = useFootprints(useBed());
  if (photos.every(({ footprint }) => footprint.isToScale)) return null;
  return <p role="note">{size ? text.otherHeight : text.notCalibrated}</p>;
}
