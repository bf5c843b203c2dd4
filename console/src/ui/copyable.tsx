import { Button } from './button.tsx';
import { copyText } from './copy-text.ts';
import styles from './copyable.module.css';
import { Dialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { Copy } from './icons.tsx';
import { Notice } from './page.tsx';
import { uiText } from './text.ts';
import { showToast } from './toasts.tsx';

/** Copies a text, and says whether that worked. */
export const CopyButton = ({ value }: { readonly value: string }) => (
  <Button icon={<Copy />} onPress={() => showToast({ text: copyText(value) ? uiText().copied : uiText().copyByHand })}>
    {uiText().copy}
  </Button>
);

/** A text with a button that copies it. */
export const Copyable = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <div className={styles.line}>
    <TextField label={label} value={value} onChange={() => undefined} isReadOnly />
    <CopyButton value={value} />
  </div>
);

export interface ShownOnceProps {
  /** Its label: "Token". */
  readonly label: string;
  /** Null: nothing is shown. */
  readonly value: string | null;
  readonly onClose: () => void;
  /** A sentence on its purpose. */
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
