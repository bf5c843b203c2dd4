import { useEffect, useState } from 'react';
import { useServer } from '../data/server.ts';
import { shownAddress } from '../data/shown-address.ts';
import { Actions } from '../ui/actions.tsx';
import { CopyButton } from '../ui/copyable.tsx';
import { Notice } from '../ui/page.tsx';
import { showProblem } from '../ui/toasts.tsx';
import styles from './auth.module.css';
import { authText } from './text.ts';

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
    import('qrcode')
      .then(({ default: { create } }) => {
        const { modules } = create(address, { errorCorrectionLevel: 'M' });
        if (isShown) setCode({ size: modules.size, path: squaresOf(modules) });
      })
      .catch(showProblem);
    return () => {
      isShown = false;
    };
  }, [address]);
  const side = (code?.size ?? 0) + 2 * quietZone;
  return (
    <svg
      className={styles.qr}
      role="img"
      aria-label={authText().qrOf(address)}
      viewBox={`${-quietZone} ${-quietZone} ${side} ${side}`}
    >
      {code ? <path d={code.path} /> : null}
    </svg>
  );
}

/** The address of this server to enter on a robot, with a button that copies it and a QR code. */
export function RobotAddress() {
  const address = useServer().robot_address;
  if (address === null) return <Notice>{authText().addressUnknown}</Notice>;
  const shown = shownAddress(address);
  return (
    <div className={styles.address}>
      <Actions>
        <code>{shown}</code>
        <CopyButton value={shown} />
      </Actions>
      <QrCode address={shown} />
    </div>
  );
}
