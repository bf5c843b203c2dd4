import { useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
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
    <Dialog title={text.paste} isOpen={isOpen} onClose={close}>
      <Form
        onSubmit={() => {
          if (!nodes) return;
          onPaste(nodes);
          close();
        }}
        submit={text.insert(nodes?.length ?? 0)}
        isDisabled={nodes === null}
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
      </Form>
    </Dialog>
  );
}
