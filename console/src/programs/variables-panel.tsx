import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { choiceLabel } from '../data/choice-label.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { variableName } from '../data/variable-name.ts';
import { IconButton } from '../ui/button.tsx';
import { Select, TextField } from '../ui/fields.tsx';
import { Plus, Trash2 } from '../ui/icons.tsx';
import { MenuButton } from '../ui/menu.tsx';
import { spliced } from '../ui/spliced.ts';
import styles from './editor.module.css';
import { useEditor, useGrammar } from './editor-context.ts';
import { createNode, isNode, type ProgramNode, textArg, withArg } from './node.ts';
import { ValueField } from './node-form.tsx';
import { type Problem, problemsBelow, sentenceAt } from './problem-places.ts';
import type { Color, ProgramDraft } from './program-draft.ts';
import { programsText } from './text.ts';
import { UseList } from './use-list.tsx';
import { fittingKinds, freeLabel, isPlaceholder, renamedUses } from './variables.ts';

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
    onChange({ ...draft, steps, variables: spliced(variables, index, 1, withArg(declaration, 'label', to)) }, null);
  };
  return (
    <section className={styles.panelContent}>
      <h3>{text.variables}</h3>
      <p className={styles.hint}>{text.variablesHint}</p>
      {variables.map((node, index) => (
        <Variable
          // biome-ignore lint/suspicious/noArrayIndexKey: variables have no id, only their place
          key={index}
          node={node}
          taken={variables.map((each) => textArg(each, 'label'))}
          problems={problems.get(index) ?? []}
          onRename={(label) => rename(index, label)}
          onChange={(next, mark) =>
            onChange({ ...draft, variables: spliced(variables, index, 1, next) }, mark && `variable ${index}/${mark}`)
          }
          onRemove={() => onChange({ ...draft, variables: spliced(variables, index, 1) }, null)}
        />
      ))}
      {isDisabled ? null : (
        <MenuButton
          label={text.addVariable}
          isLabeled
          icon={<Plus />}
          entries={(['place', 'number', 'text'] as const).map((type) => ({
            id: type,
            label: text.variableNames[type],
            onAction: () => add(type),
          }))}
        />
      )}
    </section>
  );
}

interface NameFieldProps {
  readonly label: string;
  readonly taken: readonly string[];
  readonly onRename: (label: string) => void;
  readonly problem: string | undefined;
}

/** The name of a variable. It is applied on blur, so that a partly typed name never equals another variable's. */
function NameField({ label, taken, onRename, problem }: NameFieldProps) {
  const text = programsText();
  const [typed, setTyped] = useState<string | null>(null);
  const wanted = typed?.trim() ?? label;
  const isTaken = wanted !== label && taken.includes(wanted);
  return (
    <TextField
      label={text.variableName}
      hint={variableName(label) === label ? undefined : text.variableShownAs(variableName(label))}
      value={typed ?? label}
      onChange={setTyped}
      onBlur={() => {
        if (isTaken) return;
        setTyped(null);
        if (wanted !== '' && wanted !== label) onRename(wanted);
      }}
      problem={isTaken ? text.nameTaken : problem}
    />
  );
}

interface VariableProps {
  readonly node: ProgramNode;
  /** The names of all variables. */
  readonly taken: readonly string[];
  readonly problems: readonly Problem[];
  readonly onRename: (label: string) => void;
  readonly onChange: (node: ProgramNode, mark: string | null) => void;
  readonly onRemove: () => void;
}

function Variable({ node, taken, problems, onRename, onChange, onRemove }: VariableProps) {
  const { grammar, isDisabled } = useEditor();
  const text = programsText();
  const label = textArg(node, 'label');
  const name = variableName(label);
  const arg = valueArg(node);
  const value = node.args[arg];
  const isFixed = node.kind === 'variable_declaration';
  const setFixed = (next: boolean): void => {
    const kind = next ? 'variable_declaration' : 'parameter_declaration';
    // A fixed value is not a parameter.
    const isKept = isNode(value) && !(next && isPlaceholder(value));
    const [first = 'coordinate'] = (isNode(value) && fittingKinds(value)) || [];
    const fixed = isKept ? value : grammar.newNode(first);
    onChange(createNode(kind, { label, [valueArg(createNode(kind))]: fixed }), null);
  };
  const alternatives = grammar
    .alternatives(node.kind, arg)
    .filter((each) => each.type === 'node' && each.kind !== 'identifier')
    .filter((each) => each.type !== 'node' || !isFixed || !each.kind.endsWith('_placeholder'));
  return (
    <fieldset className={styles.part} aria-label={name}>
      <div className={styles.partHead}>
        <strong>{name}</strong>
        {isDisabled ? null : <IconButton label={text.removePart(name)} icon={<Trash2 />} onPress={onRemove} />}
      </div>
      <NameField
        key={label}
        label={label}
        taken={taken}
        onRename={onRename}
        problem={sentenceAt(problems) ?? sentenceAt(problemsBelow(problems, '/args/label'))}
      />
      <Select
        label={text.variableKind}
        value={isFixed ? 'fixed' : 'asked'}
        choices={[
          { value: 'asked', label: text.asked },
          { value: 'fixed', label: text.fixed },
        ]}
        onChange={(choice) => setFixed(choice === 'fixed')}
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

interface AboutPanelProps extends VariablesPanelProps {
  readonly id: number;
  /** The server's messages about fields. */
  readonly fieldProblems: Readonly<Record<string, string>>;
}

/** Name, description and variables of a program, and its uses. */
export function AboutPanel({ id, draft, onChange, problems, fieldProblems }: AboutPanelProps) {
  const grammar = useGrammar();
  const text = programsText();
  const set = (change: Partial<ProgramDraft>, mark: string | null): void => onChange({ ...draft, ...change }, mark);
  return (
    <div className={styles.panelContent}>
      <h2>{text.about}</h2>
      <TextField
        label={sharedLabels().name}
        value={draft.name}
        onChange={(name) => set({ name }, 'name')}
        problem={fieldProblems.name}
        isRequired
      />
      <TextField
        label={sharedLabels().description}
        value={draft.description}
        onChange={(description) => set({ description }, 'description')}
        problem={fieldProblems.description}
        isLong
      />
      <Select
        label={sharedLabels().color}
        value={draft.color}
        choices={grammar
          .list('Color')
          .map((color) => ({ value: String(color) as Color, label: choiceLabel('color', color) ?? String(color) }))}
        onChange={(color) => set({ color }, null)}
      />
      <VariablesPanel draft={draft} onChange={onChange} problems={problems} />
      <section className={styles.panelContent}>
        <h3>{text.usedBy}</h3>
        <UseList id={id} />
        <Link to="/programs" search={{}}>
          {text.allPrograms}
        </Link>
      </section>
    </div>
  );
}
