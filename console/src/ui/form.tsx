import { type ReactNode, useContext, useState } from 'react';
import { Actions } from './actions.tsx';
import { Button, type ButtonTone } from './button.tsx';
import { CloseDialog, Confirmation } from './dialog.tsx';
import styles from './form.module.css';
import { Notice } from './page.tsx';
import type { Submission } from './submission.ts';
import { uiText } from './text.ts';

export interface FormProps {
  readonly onSubmit: () => unknown;
  /** The word on the button that sends it. Without it, nothing can be sent. */
  readonly submit?: string | undefined;
  readonly tone?: ButtonTone;
  /** Whether nothing can be sent yet. */
  readonly isDisabled?: boolean;
  /** Its state: nothing is sent twice, and problems that stand at no field stand above all of them. */
  readonly submission?: Submission;
  /** The fields that show their problems themselves. */
  readonly fields?: readonly string[];
  /** Gives up what was typed. In a dialog there is a button for it anyway, which closes the dialog. */
  readonly onCancel?: (() => void) | undefined;
  /** The word on the button for it. */
  readonly cancel?: string;
  /** Whether something was typed: giving it up asks first. */
  readonly isChanged?: boolean;
  /** More buttons. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A stack of form fields with its buttons. */
export function Form(props: FormProps) {
  const { onSubmit, submit, tone = 'primary', isDisabled = false, submission, fields = [], actions, children } = props;
  const text = uiText();
  const [isAsking, setAsking] = useState(false);
  const closeDialog = useContext(CloseDialog);
  const cancel = props.onCancel ?? closeDialog;
  const others = submission?.rest(...fields);
  return (
    <form
      noValidate
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit();
      }}
    >
      {others ? <Notice tone="danger">{others}</Notice> : null}
      {children}
      <Actions>
        {submit ? (
          <Button tone={tone} type="submit" isDisabled={isDisabled || submission?.isPending === true}>
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
