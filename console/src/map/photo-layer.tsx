import { memo, useMemo } from 'react';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { photoAddress } from '../data/shown-address.ts';
import { useWebAppConfig } from '../data/singles.ts';
import type { Bed } from './bed.ts';
import { type Calibration, calibrationOf } from './camera.ts';
import styles from './layers.module.css';

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

/** Photos where they were taken, the newest above, of the span that the settings choose. */
export const PhotoLayer = memo(function PhotoLayer({ bed }: { readonly bed: Bed }) {
  const images = useRecords('images');
  const { photo_filter_begin: begin, photo_filter_end: end } = useWebAppConfig();
  const { width, height, rotation, offsetX, offsetY, isCalibrated } = useCalibration();
  return images
    .filter(isPlaced)
    .filter(({ created_at }) => (begin === null || created_at >= begin) && (end === null || created_at <= end))
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
    .slice(-maxPhotos)
    .map(({ id, attachment_url, meta }) => {
      const [x, y] = bed.toScreen(meta.x + offsetX, meta.y + offsetY);
      const frame = { x: x - width / 2, y: y - height / 2, width, height };
      return (
        <g key={id} transform={`rotate(${rotation} ${x} ${y})`}>
          <image
            {...frame}
            href={photoAddress({ attachment_url })}
            preserveAspectRatio={isCalibrated ? 'none' : 'xMidYMid slice'}
          />
          <rect {...frame} className={styles.photoFrame} />
        </g>
      );
    });
});
