import { type ReactNode, useContext, useRef, useState } from 'react';
import { Actions } from './actions.tsx';
import { Button, type ButtonTone } from './button.tsx';
import { CloseDialog, Confirmation } from './dialog.tsx';
import { FieldsDisabled } from './fields-disabled.ts';
import styles from './form.module.css';
import type { Submission } from './submission.ts';
import { OtherProblems, useFocusOfProblem } from './submission-problems.tsx';
import { uiText } from './text.ts';

export interface FormProps {
  readonly onSubmit: () => unknown;
  /** The label of the button that submits it. Without it, the form cannot be submitted. */
  readonly submit?: string | undefined;
  readonly tone?: ButtonTone;
  /** Whether submitting is disabled. */
  readonly isDisabled?: boolean;
  /** Whether its fields are disabled, too: the user may only look. */
  readonly isReadOnly?: boolean;
  /** Its state: nothing is submitted twice, and problems are shown: the first field with a problem gets the focus, and other problems are above the buttons. */
  readonly submission?: Submission;
  /** The fields that show their problems themselves. */
  readonly fields?: readonly string[];
  /** Discards the input. A dialog has a button for it in any case, which closes it. */
  readonly onCancel?: (() => void) | undefined;
  /** The label of the button for it. */
  readonly cancel?: string;
  /** Whether there is input: discarding it asks for confirmation. */
  readonly isChanged?: boolean;
  /** More buttons. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A stack of form fields with its buttons. */
export function Form(props: FormProps) {
  const { onSubmit, submit, tone = 'primary', isReadOnly = false, submission, fields = [], actions } = props;
  const isDisabled = props.isDisabled || isReadOnly || submission?.isPending === true;
  const text = uiText();
  const [isAsking, setAsking] = useState(false);
  const closeDialog = useContext(CloseDialog);
  const cancel = props.onCancel ?? closeDialog;
  const form = useRef<HTMLFormElement>(null);
  useFocusOfProblem(form, submission);
  return (
    <form
      ref={form}
      noValidate
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit();
      }}
    >
      <FieldsDisabled value={isReadOnly}>{props.children}</FieldsDisabled>
      {submission ? <OtherProblems of={submission} fields={fields} /> : null}
      <Actions>
        {submit ? (
          <Button tone={tone} type="submit" isDisabled={isDisabled}>
            {submit}
          </Button>
        ) : null}
        {cancel ? (
          <Button onPress={() => (props.isChanged ? setAsking(true) : cancel())}>{props.cancel ?? text.cancel}</Button>
        ) : null}
        {actions}
      </Actions>
      <Confirmation
        title={text.discardTitle}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirm={text.discard}
        onConfirm={() => cancel?.()}
      >
        {text.discardHint}
      </Confirmation>
    </form>
  );
}
