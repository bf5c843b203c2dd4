import { useState } from 'react';
import { useRecords } from '../data/collections.ts';
import { runCommand } from '../data/commands.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { photoAddress } from '../data/shown-address.ts';
import { useMayWrite } from '../data/singles.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/page.tsx';
import { useIsControllable } from './control.ts';
import styles from './robot.module.css';
import { robotText } from './text.ts';

/** Takes a photo, and shows the newest one, which appears when it arrives. */
export function CameraCard() {
  const text = robotText();
  const formatTime = useFormatTime();
  const isControllable = useIsControllable();
  const mayWrite = useMayWrite();
  const images = useRecords('images');
  const [isTaking, setTaking] = useState(false);
  const newest = images.reduce<(typeof images)[number] | undefined>(
    (best, image) => (best && best.created_at > image.created_at ? best : image),
    undefined,
  );
  return (
    <Card
      title={text.camera}
      actions={
        mayWrite ? (
          <Button
            isDisabled={!isControllable}
            isPending={isTaking}
            onPress={async () => {
              setTaking(true);
              await runCommand(text.takePhoto, { kind: 'take_photo', args: {} });
              setTaking(false);
            }}
          >
            {text.takePhoto}
          </Button>
        ) : null
      }
    >
      <p role="status" className={styles.soft}>
        {isTaking ? text.photoComes : null}
      </p>
      {newest ? (
        <>
          {newest.attachment_processed_at ? (
            <img
              className={styles.photo}
              src={photoAddress(newest)}
              alt={text.newestPhoto(formatTime(newest.created_at))}
              loading="lazy"
            />
          ) : (
            <p className={styles.soft}>{text.processing}</p>
          )}
          <p className={styles.soft}>{formatTime(newest.created_at)}</p>
        </>
      ) : (
        <p className={styles.soft}>{text.noPhotos}</p>
      )}
    </Card>
  );
}
