import { Copy } from 'lucide-react';
import { useRef } from 'react';
import { Button } from './button.tsx';
import styles from './copyable.module.css';
import { Dialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { Notice } from './page.tsx';
import { uiText } from './text.ts';
import { showToast } from './toasts.tsx';

/** A text with a button that copies it, also where the page is not encrypted. */
export function Copyable({ label, value }: { readonly label: string; readonly value: string }) {
  const line = useRef<HTMLDivElement>(null);
  const copy = async (): Promise<void> => {
    const input = line.current?.querySelector('input');
    input?.select();
    // Browsers offer the clipboard on encrypted pages only; elsewhere the selection is copied.
    const isCopied = await (navigator.clipboard?.writeText(value) ?? Promise.reject()).then(
      () => true,
      () => document.execCommand('copy'),
    );
    if (isCopied) showToast({ text: uiText().copied });
  };
  return (
    <div className={styles.line} ref={line}>
      <TextField label={label} value={value} onChange={() => undefined} isReadOnly />
      <Button icon={<Copy />} onPress={() => void copy()}>
        {uiText().copy}
      </Button>
    </div>
  );
}

export interface ShownOnceProps {
  /** What it is: "Token". */
  readonly label: string;
  /** Null: nothing is shown. */
  readonly value: string | null;
  readonly onClose: () => void;
  /** A sentence on what it is for. */
  readonly hint?: string;
}

/** Shows a secret that the server returns only once. */
export const ShownOnce = ({ label, value, onClose, hint }: ShownOnceProps) => (
  <Dialog
    title={label}
    isOpen={value !== null}
    onClose={onClose}
    isAlert
    actions={
      <Button tone="primary" onPress={onClose}>
        {uiText().done}
      </Button>
    }
  >
    <Notice tone="warn">{uiText().once}</Notice>
    {hint ? <p>{hint}</p> : null}
    <Copyable label={label} value={value ?? ''} />
  </Dialog>
);
