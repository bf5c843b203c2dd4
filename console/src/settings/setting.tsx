import { useState } from 'react';
import { ApiError } from '../data/api-error.ts';
import { isFlag, SchemaField } from '../data/schema-fields.tsx';
import type { Field } from '../data/schemas.ts';
import { changeFields, type PartName, wayBack } from '../data/setting-parts.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { useDraft } from '../ui/draft.ts';
import { FieldsDisabled } from '../ui/fields-disabled.ts';
import { RotateCcw } from '../ui/icons.tsx';
import { uiText } from '../ui/text.ts';
import styles from './settings.module.css';
import { settingsText } from './text.ts';

/** Whether a setting is as it is without a change. */
export const isDefault = (field: Field, value: unknown): boolean =>
  field['x-default'] === undefined || (value ?? null) === (field['x-default'] ?? null);

export interface SettingProps {
  readonly part: PartName;
  readonly field: Field;
  readonly value: unknown;
}

/** Unsaved input, and the stored value when typing began. */
interface Typed {
  readonly value: unknown;
  readonly before: unknown;
}

/**
 * One setting. Switches and choices are saved immediately, texts when the field is left, unless the setting was changed elsewhere
 * in between. Unsaved input is kept in the tab.
 */
export function Setting({ part, field, value }: SettingProps) {
  const text = settingsText();
  const { label } = field;
  const [typed, setTyped, endDraft] = useDraft<Typed | null>(`setting ${part} ${field.name}`, null);
  const [isKept, setKept] = useState(typed !== null);
  // The stored value when typing began; null if there is no input.
  const [started, setStarted] = useState<Pick<Typed, 'before'> | null>(null);
  const [problem, setProblem] = useState<string>();
  const mayWrite = useMayWrite();
  const fallback = field['x-default'];
  const isTyped = field.kind === 'text' || ((field.kind === 'integer' || field.kind === 'number') && !isFlag(field));
  const began = typed ?? started;
  const isElsewhere = began !== null && began.before !== value && typed?.value !== value;
  const needsChoice = isKept || problem !== undefined || isElsewhere;
  const keep = (next: unknown): void => setTyped({ value: next, before: began ? began.before : value });
  const discard = (): void => {
    endDraft(null);
    setKept(false);
    setStarted(null);
    setProblem(undefined);
  };
  const save = async (next: unknown): Promise<void> => {
    if (next === value) return discard();
    try {
      const update = { [field.name]: next };
      await undoable(
        text.saved(label),
        (request) => changeFields(part, update, request),
        undefined,
        wayBack(part, update),
      );
      discard();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      keep(next);
      setProblem(error.fields[field.name] ?? error.message);
    }
  };
  const change = (next: unknown): void => {
    // Text is saved when the field is left; numbers come here then.
    if (field.kind === 'text' || (isElsewhere && next !== value)) keep(next);
    else {
      setStarted(null);
      void save(next);
    }
  };
  const shown = (each: unknown): string =>
    each === true || (each === 1 && isFlag(field))
      ? text.yes
      : each === false || (each === 0 && isFlag(field))
        ? text.no
        : each === null || each === ''
          ? text.empty
          : String(each);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only handles bubbling input and blur events
    <div
      className={styles.setting}
      onInput={() => {
        if (!isTyped) return;
        setStarted(started ?? { before: value });
        setKept(false);
        setProblem(undefined);
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (currentTarget.contains(relatedTarget)) return;
        setStarted(null);
        if (typed && !needsChoice) void save(typed.value);
      }}
    >
      <FieldsDisabled value={!mayWrite}>
        <SchemaField field={field} value={typed ? typed.value : value} problem={problem} onChange={change} />
      </FieldsDisabled>
      {isElsewhere ? (
        <span className={styles.changed} role="status">
          {text.changedElsewhere(shown(value))}
        </span>
      ) : null}
      {typed && mayWrite && needsChoice ? (
        <span className={styles.changed}>
          <strong>{text.unsaved}</strong>
          <Button onPress={() => void save(typed.value)}>{text.save}</Button>
          <ConfirmButton
            word={text.discard}
            label={text.discardOf(label)}
            title={uiText().discardTitle}
            hint={uiText().discardHint}
            onConfirm={discard}
          />
        </span>
      ) : null}
      {!needsChoice && !isDefault(field, value) && fallback !== undefined ? (
        <span className={styles.changed}>
          <strong>{text.isChanged}</strong> {text.default(shown(fallback))}
          {mayWrite ? (
            <IconButton label={text.reset(label)} icon={<RotateCcw />} onPress={() => void save(fallback)} />
          ) : null}
        </span>
      ) : null}
    </div>
  );
}
