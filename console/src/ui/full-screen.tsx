import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { IconButton } from './button.tsx';
import styles from './full-screen.module.css';
import { X } from './icons.tsx';
import { uiText } from './text.ts';

export interface FullScreenProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The content below: buttons and details. */
  readonly bar: ReactNode;
}

/** A window above the page that covers it all, but for the emergency stop. Escape closes it. */
export const FullScreen = ({ title, isOpen, onClose, children, bar }: FullScreenProps) => (
  <ModalOverlay isOpen={isOpen} onOpenChange={(next) => next || onClose()} className={styles.overlay ?? ''}>
    <Modal className={styles.modal ?? ''}>
      <AriaDialog className={styles.dialog ?? ''}>
        <div className={styles.top}>
          <IconButton label={uiText().close} icon={<X />} onPress={onClose} />
          <Heading slot="title" level={2}>
            {title}
          </Heading>
        </div>
        <div className={styles.content}>{children}</div>
        <div className={styles.bar}>{bar}</div>
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);
