import { useState } from 'react';
import { Notice } from '../ui/page.tsx';
import { thingsText } from './text.ts';
import styles from './things.module.css';

/** The picture of a webcam, or a message if it cannot be loaded. */
export function Webcam({ url, name }: { readonly url: string; readonly name: string }) {
  const [failed, setFailed] = useState(false);
  if (failed) return <Notice tone="warn">{thingsText().webcamFails}</Notice>;
  return (
    <img className={styles.webcam} src={url} alt={name} referrerPolicy="no-referrer" onError={() => setFailed(true)} />
  );
}
