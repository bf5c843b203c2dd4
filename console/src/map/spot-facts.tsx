import { Link } from '@tanstack/react-router';
import { interpolated } from '../../../src/core/soil-height.ts';
import { useRecords } from '../data/collections.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { percentUnit } from '../data/sensor-values.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { photoAddress } from '../data/shown-address.ts';
import { useWebAppConfig } from '../data/singles.ts';
import { measured } from '../ui/numbers.ts';
import { uiText } from '../ui/text.ts';
import { isInPhoto } from './camera.ts';
import styles from './map.module.css';
import { PhotoFilm } from './photo-film.tsx';
import { isPlaced, useCalibration } from './photo-layer.tsx';
import type { Point } from './points.ts';
import { useInterpolatedHeights, useReadings } from './soil.ts';
import { spotText } from './spot-text.ts';
import { mapText } from './text.ts';

/** How far readings may be from the spot that they are shown for, in mm. */
const reach = 150;
/** The newest readings that are shown. */
const maxReadings = 5;

interface Spot {
  readonly x: number;
  readonly y: number;
}

interface SpotFactsProps {
  readonly spot: Spot;
  /** Of the garden. */
  readonly points: readonly Point[];
}

/** What is known of a spot of the bed: the height of its soil, readings near it, and photos of it. Suspends. */
export function SpotFacts({ spot: { x, y }, points }: SpotFactsProps) {
  const text = spotText();
  const heights = useInterpolatedHeights(points);
  const height = heights.length === 0 ? text.notMeasured : measured(interpolated(heights, x, y), ' mm');
  return (
    <>
      <p>{uiText().pair(mapText().layers.show_soil_interpolation_map, height)}</p>
      <SpotReadings x={x} y={y} />
      <SpotPhotos x={x} y={y} />
    </>
  );
}

/** The readings near a spot, the newest first. */
function SpotReadings({ x, y }: Spot) {
  const text = spotText();
  const sensors = useRecords('sensors');
  const formatTime = useFormatTime();
  const near = useReadings()
    .map((reading) => ({ ...reading, distance: Math.hypot(reading.x - x, reading.y - y) }))
    .filter(({ distance }) => distance <= reach)
    .sort((a, b) => (a.read_at < b.read_at ? 1 : -1))
    .slice(0, maxReadings);
  if (near.length === 0) return <p>{text.noReadings(reach)}</p>;
  return (
    <ul className={styles.list}>
      {near.map(({ id, pin, mode, value, percent, read_at, distance }) => (
        <li key={id}>
          {uiText().pair(
            sensors.find((sensor) => sensor.pin === pin)?.label ?? `${sharedLabels().pin} ${pin}`,
            percent === null
              ? measured(value, mode === 1 ? ` ${mapText().ofAnalog}` : '')
              : measured(Math.round(percent), percentUnit),
          )}
          <small>{` · ${formatTime(read_at)} · ${text.away(Math.round(distance))}`}</small>
        </li>
      ))}
    </ul>
  );
}

/** The photos that show a spot, the newest first. */
function SpotPhotos({ x, y }: Spot) {
  const text = spotText();
  const calibration = useCalibration();
  const { crop_images } = useWebAppConfig();
  const formatTime = useFormatTime();
  const photos = useRecords('images')
    .filter(isPlaced)
    .filter(({ meta }) => isInPhoto(calibration, meta, x, y, crop_images))
    .sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
  if (photos.length === 0) return <p>{text.noPhotos}</p>;
  return (
    <>
      <p>{text.photosOf(photos.length)}</p>
      {photos.length > 1 ? <PhotoFilm photos={[...photos].reverse()} calibration={calibration} x={x} y={y} /> : null}
      <ul className={styles.spotPhotos}>
        {photos.map((photo) => (
          <li key={photo.id}>
            <Link to="/photos" search={{ photo: photo.id }}>
              <img
                src={photoAddress(photo, 'x320')}
                alt={text.photoFrom(formatTime(photo.created_at))}
                title={formatTime(photo.created_at)}
                loading="lazy"
              />
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
