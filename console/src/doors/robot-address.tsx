import { useEffect, useRef, useState } from 'react';
import { useServer } from '../data/server.ts';
import { shownAddress } from '../data/shown-address.ts';
import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/page.tsx';
import styles from './doors.module.css';
import { doorText } from './text.ts';

/** The modules of a QR code as one path: a square each. */
function squaresOf({ size, data }: { readonly size: number; readonly data: ArrayLike<number> }): string {
  const squares: string[] = [];
  for (let index = 0; index < size * size; index++)
    if (data[index]) squares.push(`M${index % size} ${Math.floor(index / size)}h1v1h-1z`);
  return squares.join('');
}

/** Empty modules around a QR code. (ISO/IEC 18004) */
const quietZone = 4;

function QrCode({ address }: { readonly address: string }) {
  const [code, setCode] = useState<{ readonly size: number; readonly path: string } | null>(null);
  useEffect(() => {
    let isShown = true;
    void import('qrcode').then(({ default: { create } }) => {
      const { modules } = create(address, { errorCorrectionLevel: 'M' });
      if (isShown) setCode({ size: modules.size, path: squaresOf(modules) });
    });
    return () => {
      isShown = false;
    };
  }, [address]);
  const side = (code?.size ?? 0) + 2 * quietZone;
  return (
    <svg
      className={styles.qr}
      role="img"
      aria-label={doorText().qrOf(address)}
      viewBox={`${-quietZone} ${-quietZone} ${side} ${side}`}
    >
      {code ? <path d={code.path} /> : null}
    </svg>
  );
}

/** Copies the text of an element; returns whether it was copied. On unencrypted pages there is no clipboard API: there it is selected, too. */
async function copyText(element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(element.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return document.execCommand('copy');
  }
}

/** The address of this server to enter on a robot, with a button that copies it and a QR code. */
export function RobotAddress() {
  const text = doorText();
  const address = useServer().robot_address;
  const element = useRef<HTMLElement>(null);
  const [result, setResult] = useState('');
  if (address === null) return <Notice>{text.addressUnknown}</Notice>;
  const shown = shownAddress(address);
  const copy = async (): Promise<void> => {
    // Emptied first, so that screen readers read the same words again.
    setResult('');
    if (element.current) setResult((await copyText(element.current)) ? text.copied : text.copyByHand);
  };
  return (
    <div className={styles.address}>
      <Actions>
        <code ref={element}>{shown}</code>
        <Button onPress={() => void copy()}>{text.copy}</Button>
        <span role="status">{result}</span>
      </Actions>
      <QrCode address={shown} />
    </div>
  );
}
