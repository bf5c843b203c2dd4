import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button, IconButton } from './button.tsx';
import styles from './dialog.module.css';
import { uiText } from './text.ts';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at the end. */
  readonly actions?: ReactNode;
  readonly isWide?: boolean;
  /** An interruption that needs an answer: it does not close by a click beside it. */
  readonly isAlert?: boolean;
}

/** A window above the page; on a phone it fills the width. */
export const Dialog = ({ title, isOpen, onClose, children, actions, isWide = false, isAlert = false }: DialogProps) => (
  <ModalOverlay
    isOpen={isOpen}
    onOpenChange={(next) => next || onClose()}
    isDismissable={!isAlert}
    className={styles.overlay ?? ''}
  >
    <Modal className={`${styles.modal} ${isWide ? styles.wide : ''}`}>
      <AriaDialog role={isAlert ? 'alertdialog' : 'dialog'} className={styles.dialog ?? ''}>
        <div className={styles.header}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          <IconButton label={uiText().close} icon={<X />} onPress={onClose} />
        </div>
        <div className={styles.content}>{children}</div>
        {actions ? <div className={styles.actions}>{actions}</div> : null}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);

export interface ConfirmationProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** What will happen. */
  readonly children: ReactNode;
  /** The word on the button that does it: "Delete". */
  readonly confirm: string;
  readonly onConfirm: () => void;
}

/** Asks before something that cannot be undone. */
export const Confirmation = ({ title, isOpen, onClose, children, confirm, onConfirm }: ConfirmationProps) => (
  <Dialog
    title={title}
    isOpen={isOpen}
    onClose={onClose}
    isAlert
    actions={
      <>
        <Button onPress={onClose} autoFocus>
          {uiText().cancel}
        </Button>
        <Button
          tone="danger"
          onPress={() => {
            onClose();
            onConfirm();
          }}
        >
          {confirm}
        </Button>
      </>
    }
  >
    {children}
  </Dialog>
);
