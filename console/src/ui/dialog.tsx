import { createContext, type ReactNode, Suspense } from 'react';
import { Button } from './button.tsx';
import type { DialogProps } from './dialog-window.tsx';
import { later } from './later.ts';
import { uiText } from './text.ts';

const Window = later(async () => (await import('./dialog-window.tsx')).DialogWindow);

/** Closes the surrounding dialog; null: there is none. */
export const CloseDialog = createContext<(() => void) | null>(null);

/** A window above the page; on a phone it fills the width. */
export const Dialog = ({ isOpen, ...props }: DialogProps) =>
  isOpen ? (
    <CloseDialog value={props.onClose}>
      <Suspense>
        <Window {...props} />
      </Suspense>
    </CloseDialog>
  ) : null;

export interface ConfirmationProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The consequence. */
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
