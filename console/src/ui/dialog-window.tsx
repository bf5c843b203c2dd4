import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { IconButton } from './button.tsx';
import styles from './dialog.module.css';
import { Part } from './failure.tsx';
import { X } from './icons.tsx';
import { uiText } from './text.ts';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at the end. */
  readonly actions?: ReactNode;
  readonly isWide?: boolean;
  /** An alert dialog: a click beside it does not close it. */
  readonly isAlert?: boolean;
}

/** An open dialog. */
export const DialogWindow = ({
  title,
  onClose,
  children,
  actions,
  isWide = false,
  isAlert = false,
}: Omit<DialogProps, 'isOpen'>) => (
  <ModalOverlay
    isOpen
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
        {/* The page below stays mounted while this loads, and with it the element to which the focus returns. */}
        <div className={styles.content}>
          <Part>{children}</Part>
        </div>
        {actions ? <div className={styles.actions}>{actions}</div> : null}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);
