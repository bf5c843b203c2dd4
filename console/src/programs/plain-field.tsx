import { lazy, Suspense } from 'react';
import { Loading } from '../ui/failure.tsx';
import { NumberField, Select, Switch, TextField } from '../ui/fields.tsx';
import { useEditor } from './editor-context.ts';
import type { Alternative } from './grammar.ts';
import type { Argument } from './node.ts';
import type { Problem } from './problem-places.ts';
import { unitOf, valueWords } from './words.ts';

const LuaEditor = lazy(() => import('./lua-editor.tsx').then((module) => ({ default: module.LuaEditor })));

export interface PlainFieldProps {
  readonly arg: string;
  readonly label: string;
  readonly value: Argument | undefined;
  readonly alternative: Alternative;
  readonly onChange: (value: Argument, mark: string | null) => void;
  readonly problem: string | undefined;
  /** The same, apart. */
  readonly problems: readonly Problem[];
}

/** The field of an argument with a plain value: a number with its unit, a text, a choice, Lua. */
export function PlainField({ arg, label, value, alternative, onChange, problem, problems }: PlainFieldProps) {
  const { isDisabled } = useEditor();
  const common = { label, problem };
  switch (alternative.type) {
    case 'choice':
      return (
        <Select
          {...common}
          value={typeof value === 'string' || typeof value === 'number' ? value : null}
          choices={alternative.choices.map((choice) => ({ value: choice, label: valueWords(choice) }))}
          onChange={(choice) => onChange(choice, null)}
        />
      );
    case 'integer':
    case 'number': {
      const unit = unitOf(arg);
      return (
        <NumberField
          {...common}
          value={typeof value === 'number' ? value : Number.NaN}
          onChange={(number) => onChange(Number.isNaN(number) ? 0 : number, arg)}
          {...(alternative.type === 'integer' ? { step: 1 } : {})}
          {...(unit === undefined ? {} : { unit })}
        />
      );
    }
    case 'boolean':
      return (
        <Switch label={label} isSelected={value === true} onChange={(isOn) => onChange(isOn, null)} hint={problem} />
      );
    case 'text':
      if (arg === 'lua')
        return (
          <Suspense fallback={<Loading />}>
            <LuaEditor
              {...common}
              isDisabled={isDisabled}
              problems={problems}
              value={typeof value === 'string' ? value : ''}
              onChange={(lua) => onChange(lua, arg)}
            />
          </Suspense>
        );
      return (
        <TextField
          {...common}
          value={typeof value === 'string' ? value : ''}
          onChange={(text) => onChange(text, arg)}
          isLong={arg === 'message'}
        />
      );
    case 'node':
      return null;
  }
}
