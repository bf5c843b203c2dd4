import { useState } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { Confirmation } from './dialog.tsx';

export interface ConfirmButtonProps extends Pick<ButtonProps, 'icon' | 'isDisabled' | 'tone'> {
  /** The label, also of the button that confirms it. */
  readonly word: string;
  /** The accessible name, if the label alone is ambiguous. */
  readonly label?: string;
  /** The question. */
  readonly title: string;
  /** The consequence. */
  readonly hint: string;
  readonly onConfirm: () => void;
}

/** A button for an action that cannot be undone: it asks for confirmation. */
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
