import { X } from 'lucide-react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { IconButton } from './button.tsx';
import styles from './dialog.module.css';
import type { DialogProps } from './dialog.tsx';
import { Part } from './failure.tsx';
import { uiText } from './text.ts';

/** An open {@link Dialog}. */
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
