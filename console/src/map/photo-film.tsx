import { type CSSProperties, useEffect, useState } from 'react';
import { useFormatTime } from '../data/garden-time.ts';
import { photoAddress } from '../data/shown-address.ts';
import { IconButton } from '../ui/button.tsx';
import { Pause, Play } from '../ui/icons.tsx';
import { type Calibration, spotIn } from './camera.ts';
import styles from './photo-film.module.css';
import type { PlacedPhoto } from './photo-layer.tsx';
import { spotText } from './spot-text.ts';

/** How long a photo is shown, in ms. */
const interval = 600;

interface PhotoFilmProps {
  /** The oldest first. */
  readonly photos: readonly PlacedPhoto[];
  readonly calibration: Calibration;
  readonly x: number;
  readonly y: number;
}

/** Photos of a spot one after the other, the spot in the middle of each. Suspends. */
export function PhotoFilm({ photos, calibration, x, y }: PhotoFilmProps) {
  const text = spotText();
  const formatTime = useFormatTime();
  const last = photos.length - 1;
  const [chosen, setChosen] = useState(last);
  const [isPlaying, setPlaying] = useState(false);
  const index = Math.min(chosen, last);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => (index < last ? setChosen(index + 1) : setPlaying(false)), interval);
    // The next one is there in time.
    const next = photos[index + 1];
    if (next) new Image().src = photoAddress(next);
    return () => clearTimeout(timer);
  }, [isPlaying, index, last, photos]);
  const photo = photos[index];
  if (!photo) return null;
  const { across, down, turn } = spotIn(calibration, photo.meta, x, y);
  const style = {
    '--across': `${(0.5 - across) * 100}%`,
    '--down': `${(0.5 - down) * 100}%`,
    '--turn': `${turn}deg`,
  } as CSSProperties;
  const time = formatTime(photo.created_at);
  const choose = (next: number): void => {
    setPlaying(false);
    setChosen(next);
  };
  return (
    <section className={styles.film} aria-label={text.film}>
      <div className={styles.screen}>
        <img src={photoAddress(photo)} alt={text.photoFrom(time)} style={style} />
      </div>
      <div className={styles.controls}>
        <IconButton
          label={isPlaying ? text.pauseFilm : text.playFilm}
          icon={isPlaying ? <Pause /> : <Play />}
          onPress={() => {
            if (!isPlaying && index === last) setChosen(0);
            setPlaying(!isPlaying);
          }}
        />
        <input
          type="range"
          min={0}
          max={last}
          value={index}
          aria-label={text.film}
          aria-valuetext={time}
          onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
        />
      </div>
      <p className={styles.time}>{time}</p>
    </section>
  );
}
