import { Plus, Trash2 } from 'lucide-react';
import { IconButton } from '../ui/button.tsx';
import { Select, TextField } from '../ui/fields.tsx';
import { MenuButton } from '../ui/menu.tsx';
import styles from './editor.module.css';
import { useEditor } from './editor-context.ts';
import { createNode, isNode, type ProgramNode, textArg, withArg } from './node.ts';
import { ValueField } from './node-form.tsx';
import { type Problem, problemsBelow, sentenceAt } from './problem-places.ts';
import type { ProgramDraft } from './program-draft.ts';
import { programsText } from './text.ts';
import { freeLabel, isPlaceholder, renamedUses } from './variables.ts';

export interface VariablesPanelProps {
  readonly draft: ProgramDraft;
  readonly onChange: (draft: ProgramDraft, mark: string | null) => void;
  /** By the index of the declaration. */
  readonly problems: ReadonlyMap<number, readonly Problem[]>;
}

const valueArg = ({ kind }: ProgramNode): string => (kind === 'parameter_declaration' ? 'default_value' : 'data_value');

/** The values that new variables begin with. */
const starts = {
  place: 'location_placeholder',
  number: 'number_placeholder',
  text: 'text_placeholder',
} as const;

/** The variables of a program and their defaults. */
export function VariablesPanel({ draft, onChange, problems }: VariablesPanelProps) {
  const { isDisabled } = useEditor();
  const text = programsText();
  const { variables } = draft;
  const add = (type: keyof typeof starts): void => {
    const label = freeLabel(variables, text.variableNames[type]);
    const declaration = createNode('parameter_declaration', { label, default_value: createNode(starts[type]) });
    onChange({ ...draft, variables: [...variables, declaration] }, null);
  };
  const rename = (index: number, to: string): void => {
    const declaration = variables[index];
    if (!declaration) return;
    const from = textArg(declaration, 'label');
    const steps = draft.steps.map((step) => ({ ...step, node: renamedUses(step.node, from, to) }));
    onChange(
      { ...draft, steps, variables: variables.with(index, withArg(declaration, 'label', to)) },
      `variable ${index}`,
    );
  };
  return (
    <section className={styles.panelContent}>
      <h3>{text.variables}</h3>
      <p className={styles.hint}>{text.variablesHint}</p>
      {variables.map((node, index) => (
        <Variable
          // biome-ignore lint/suspicious/noArrayIndexKey: variables have no identity but their place
          key={index}
          node={node}
          problems={problems.get(index) ?? []}
          onRename={(label) => rename(index, label)}
          onChange={(next, mark) =>
            onChange({ ...draft, variables: variables.with(index, next) }, mark && `variable ${index}/${mark}`)
          }
          onRemove={() => onChange({ ...draft, variables: variables.toSpliced(index, 1) }, null)}
        />
      ))}
      <MenuButton
        label={text.addVariable}
        isLabeled
        icon={<Plus />}
        isDisabled={isDisabled}
        entries={(['place', 'number', 'text'] as const).map((type) => ({
          id: type,
          label: text.variableNames[type],
          onAction: () => add(type),
        }))}
      />
    </section>
  );
}

interface VariableProps {
  readonly node: ProgramNode;
  readonly problems: readonly Problem[];
  readonly onRename: (label: string) => void;
  readonly onChange: (node: ProgramNode, mark: string | null) => void;
  readonly onRemove: () => void;
}

function Variable({ node, problems, onRename, onChange, onRemove }: VariableProps) {
  const { grammar, isDisabled } = useEditor();
  const text = programsText();
  const label = textArg(node, 'label');
  const arg = valueArg(node);
  const value = node.args[arg];
  const isFixed = node.kind === 'variable_declaration';
  const setFixed = (next: boolean): void => {
    const kind = next ? 'variable_declaration' : 'parameter_declaration';
    // A fixed value is a value, and no question.
    const fixed = isNode(value) && !(next && isPlaceholder(value)) ? value : grammar.newNode('coordinate');
    onChange(createNode(kind, { label, [valueArg(createNode(kind))]: fixed }), null);
  };
  const alternatives = grammar
    .alternatives(node.kind, arg)
    .filter((each) => each.type === 'node' && each.kind !== 'identifier')
    .filter((each) => each.type !== 'node' || !isFixed || !each.kind.endsWith('_placeholder'));
  return (
    <fieldset className={styles.part} aria-label={label}>
      <div className={styles.partHead}>
        <strong>{label}</strong>
        <IconButton label={text.removePart(label)} icon={<Trash2 />} onPress={onRemove} isDisabled={isDisabled} />
      </div>
      <TextField
        label={text.variableName}
        value={label}
        onChange={onRename}
        problem={sentenceAt(problems) ?? sentenceAt(problemsBelow(problems, '/args/label'))}
        isDisabled={isDisabled}
      />
      <Select
        label={text.variableKind}
        value={isFixed ? 'fixed' : 'asked'}
        choices={[
          { value: 'asked', label: text.asked },
          { value: 'fixed', label: text.fixed },
        ]}
        onChange={(choice) => setFixed(choice === 'fixed')}
        isDisabled={isDisabled}
      />
      <ValueField
        arg={arg}
        label={isFixed ? text.value : text.defaultValue}
        value={value}
        alternatives={alternatives}
        onChange={(next, mark) => onChange(withArg(node, arg, next), mark)}
        problems={problemsBelow(problems, `/args/${arg}`)}
      />
    </fieldset>
  );
}
