import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/fields.tsx';
import { parseSteps } from './clipboard.ts';
import type { ProgramNode } from './node.ts';
import { programsText } from './text.ts';

export interface PasteDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onPaste: (nodes: readonly ProgramNode[]) => void;
}

/** A field to paste steps into as JSON, for clipboards that the page may not read. */
export function PasteDialog({ isOpen, onClose, onPaste }: PasteDialogProps) {
  const text = programsText();
  const [pasted, setPasted] = useState('');
  const nodes = parseSteps(pasted);
  const isWrong = pasted.trim() !== '' && nodes === null;
  const close = (): void => {
    setPasted('');
    onClose();
  };
  return (
    <Dialog
      title={text.paste}
      isOpen={isOpen}
      onClose={close}
      actions={
        <Button
          tone="primary"
          isDisabled={nodes === null}
          onPress={() => {
            if (!nodes) return;
            onPaste(nodes);
            close();
          }}
        >
          {text.insert(nodes?.length ?? 0)}
        </Button>
      }
    >
      <TextField
        label={text.stepsAsJson}
        hint={text.pasteHint}
        value={pasted}
        onChange={setPasted}
        problem={isWrong ? text.notSteps : undefined}
        isLong
        autoFocus
      />
    </Dialog>
  );
}
