import { useMemo } from 'react';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { useZone } from '../data/garden-time.ts';
import { groupBy } from '../data/groups.ts';
import { dayAt, zoned } from '../data/zoned-days.ts';
import { photosText } from './text.ts';

export type Photo = RecordOf<'images'>;

/** Photos of one day of the garden, newest first. */
export interface PhotoDay {
  /** `2026-11-23`. */
  readonly day: string;
  readonly photos: readonly Photo[];
}

/** Returns the photos, newest first. Suspends. */
export function usePhotos(): readonly Photo[] {
  const images = useRecords('images');
  return useMemo(
    () =>
      [...images].sort((a, b) => (a.created_at === b.created_at ? b.id - a.id : a.created_at < b.created_at ? 1 : -1)),
    [images],
  );
}

/** Returns photos by day, newest first. Suspends. */
export function usePhotoDays(photos: readonly Photo[]): readonly PhotoDay[] {
  const zone = useZone();
  return useMemo(() => {
    const days = groupBy(photos, ({ created_at }) => dayAt(created_at, zone));
    return [...days].map(([day, of]) => ({ day, photos: of }));
  }, [photos, zone]);
}

/** The text of its position; null: the position is not known. */
export const placeOf = ({ meta: { x, y, z } }: Photo): string | null =>
  x === undefined || y === undefined ? null : photosText().place(x, y, z);

/** The name of the file when it is downloaded, with the time in the garden's time zone: `2026-11-23-10-20-30-x100-y200.jpg`. */
export function fileNameOf({ created_at, meta, attachment_url }: Photo, zone: string): string {
  const time = zoned(created_at, zone).toString().slice(0, 19).replaceAll(/[T:]/g, '-');
  const place = meta.x === undefined || meta.y === undefined ? '' : `-x${meta.x}-y${meta.y}`;
  return `${time}${place}.${attachment_url.replace(/^.*\./, '')}`;
}
