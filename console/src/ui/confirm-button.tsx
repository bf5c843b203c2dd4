import { useState } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { Confirmation } from './dialog.tsx';

export interface ConfirmButtonProps extends Pick<ButtonProps, 'icon' | 'isDisabled' | 'tone'> {
  /** The word on it, and on the button that does it. */
  readonly word: string;
  /** Its name where the word alone does not say what it is about. */
  readonly label?: string;
  /** The question. */
  readonly title: string;
  /** What will happen. */
  readonly hint: string;
  readonly onConfirm: () => void;
}

/** A button for what cannot be undone: it asks first. */
export function ConfirmButton({ word, label, title, hint, onConfirm, ...props }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button {...props} aria-label={label} onPress={() => setAsking(true)}>
        {word}
      </Button>
      <Confirmation
        title={title}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirm={word}
        onConfirm={onConfirm}
      >
        {hint}
      </Confirmation>
    </>
  );
}
