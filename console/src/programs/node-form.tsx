import { Link } from '@tanstack/react-router';
import type { PressEvent } from 'react-aria-components';
import { flushSync } from 'react-dom';
import { variableName } from '../data/variable-name.ts';
import { IconButton } from '../ui/button.tsx';
import { ComboBox } from '../ui/combo-box.tsx';
import { Select } from '../ui/fields.tsx';
import { ArrowDown, ArrowUp, Plus, Trash2 } from '../ui/icons.tsx';
import { MenuButton } from '../ui/menu.tsx';
import { spliced } from '../ui/spliced.ts';
import styles from './editor.module.css';
import { type NodeFormProps, useEditor } from './editor-context.ts';
import { type Alternative, isOf } from './grammar.ts';
import { type Argument, bodyNodes, entryOf, isNode, numberArg, type ProgramNode, withArg, withBody } from './node.ts';
import { PlainField } from './plain-field.tsx';
import { type Problem, problemsBelow, sentenceAt } from './problem-places.ts';
import { choicesOf, recordForms } from './record-forms.tsx';
import { summaryOf } from './summary.ts';
import { programsText } from './text.ts';
import {
  appliedValue,
  declarationsOf,
  declaredParameters,
  fittingKinds,
  fittingVariables,
  isPlaceholder,
  type Parameter,
  withApplied,
} from './variables.ts';
import { alternativeWords, argWords, kindWords, questionWords } from './words.ts';

const below = (prefix: string, mark: string | null): string | null => mark && `${prefix}/${mark}`;
const isAxis = (arg: string): boolean => ['x', 'y', 'z'].includes(arg);

/** The form for a node of any kind: a field for each argument, and the nodes in its body. */
export function NodeForm(props: NodeFormProps) {
  const { grammar } = useEditor();
  const { node, onChange, problems } = props;
  const RecordForm = entryOf(recordForms, node.kind);
  if (RecordForm) return <RecordForm {...props} />;
  if (node.kind === 'execute') return <ExecuteForm {...props} />;
  const args = grammar.args(node.kind);
  const own = sentenceAt(problems);
  const field = (arg: string) => (
    <ArgumentField
      key={arg}
      node={node}
      arg={arg}
      onChange={(value, mark) => onChange(withArg(node, arg, value), below(arg, mark))}
      problems={problemsBelow(problems, `/args/${arg}`)}
    />
  );
  return (
    <>
      {own === undefined ? null : <p className={styles.problem}>{own}</p>}
      {args.some(isAxis) ? <div className={styles.axes}>{args.filter(isAxis).map(field)}</div> : null}
      {args.filter((arg) => !isAxis(arg)).map(field)}
      {grammar.bodyKinds(node.kind).length > 0 ? <BodyEditor {...props} /> : null}
    </>
  );
}

interface ArgumentFieldProps {
  readonly node: ProgramNode;
  readonly arg: string;
  readonly onChange: (value: Argument, mark: string | null) => void;
  readonly problems: readonly Problem[];
}

/** The field of one argument; where it may be of several kinds, also the choice of the kind. */
function ArgumentField({ node, arg, onChange, problems }: ArgumentFieldProps) {
  const { grammar, declarations } = useEditor();
  const value = node.args[arg];
  const listed = grammar.alternatives(node.kind, arg);
  const kinds = listed.flatMap((each) => (each.type === 'node' ? [each.kind] : []));
  const variables = fittingVariables(declarations, kinds);
  const isOffered = variables.length > 0 || (isNode(value) && value.kind === 'identifier');
  const isListed = kinds.includes('identifier');
  const alternatives: readonly Alternative[] =
    isOffered === isListed
      ? listed
      : isOffered
        ? [...listed, { type: 'node', kind: 'identifier' }]
        : listed.filter((each) => each.type !== 'node' || each.kind !== 'identifier');
  return (
    <ValueField
      arg={arg}
      value={value}
      alternatives={alternatives}
      onChange={onChange}
      problems={problems}
      label={argWords(arg)}
      variables={variables}
    />
  );
}

interface ValueFieldProps {
  readonly arg: string;
  readonly value: Argument | undefined;
  readonly alternatives: readonly Alternative[];
  readonly onChange: (value: Argument, mark: string | null) => void;
  readonly problems: readonly Problem[];
  readonly label: string;
  readonly variables?: readonly string[];
}

/** A value of one of several kinds. */
export function ValueField({ arg, value, alternatives, onChange, problems, label, variables }: ValueFieldProps) {
  const { grammar } = useEditor();
  const index = alternatives.findIndex((each) => isOf(each, value));
  const current = alternatives[index] ?? alternatives[0];
  if (!current) return null;
  const problem = sentenceAt(problems);
  const field = isNode(value) ? (
    <NodeForm
      node={value}
      onChange={onChange}
      problems={problems.filter(({ path }) => path !== '')}
      label={label}
      {...(variables ? { variables } : {})}
    />
  ) : (
    <PlainField
      arg={arg}
      label={label}
      value={value}
      alternative={current}
      onChange={onChange}
      problem={problem}
      problems={problems}
    />
  );
  if (alternatives.length < 2) {
    if (!isNode(value)) return field;
    return (
      <fieldset className={styles.part}>
        <legend>{label}</legend>
        {problem === undefined ? null : <p className={styles.problem}>{problem}</p>}
        {field}
      </fieldset>
    );
  }
  return (
    <fieldset className={styles.part}>
      <legend>{label}</legend>
      <Select
        label={questionWords(arg)}
        value={index}
        choices={alternatives.map((each, key) => ({
          value: key,
          label: each.type === 'node' ? kindWords(each.kind) : alternativeWords(each.type),
        }))}
        onChange={(key) => {
          const chosen = alternatives[key];
          if (chosen && key !== index) onChange(grammar.firstOf(chosen, arg), null);
        }}
        problem={isNode(value) ? problem : undefined}
      />
      {field}
    </fieldset>
  );
}

/** Moves the focus with a part to its new place; at an end of the list, where one button is disabled, to the other. */
function focusMoved(part: Element | null | undefined, by: -1 | 1): void {
  const [up, down] = part?.querySelectorAll('button') ?? [];
  const [same, other] = by < 0 ? [up, down] : [down, up];
  (same?.disabled ? other : same)?.focus();
}

/** The nodes in the body of another: channels of a message, parts of a movement. */
function BodyEditor({ node, onChange, problems }: NodeFormProps) {
  const { grammar, isDisabled } = useEditor();
  const text = programsText();
  const kinds = grammar.bodyKinds(node.kind);
  const body = bodyNodes(node);
  const swap = ({ target }: PressEvent, index: number, by: -1 | 1): void => {
    const moved = body[index];
    if (!moved) return;
    const part = target.closest('fieldset');
    // The buttons at the new place are enabled only after it is rendered.
    flushSync(() => onChange(withBody(node, spliced(spliced(body, index, 1), index + by, 0, moved)), null));
    focusMoved(by < 0 ? part?.previousElementSibling : part?.nextElementSibling, by);
  };
  return (
    <>
      {body.map((child, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id, only their place
        <fieldset key={index} className={styles.part} aria-label={kindWords(child.kind)}>
          <div className={styles.partHead}>
            <strong>{kindWords(child.kind)}</strong>
            {isDisabled ? null : (
              <>
                <IconButton
                  label={text.moveUp}
                  icon={<ArrowUp />}
                  onPress={(event) => swap(event, index, -1)}
                  isDisabled={index === 0}
                />
                <IconButton
                  label={text.moveDown}
                  icon={<ArrowDown />}
                  onPress={(event) => swap(event, index, 1)}
                  isDisabled={index === body.length - 1}
                />
                <IconButton
                  label={text.removePart(kindWords(child.kind))}
                  icon={<Trash2 />}
                  onPress={() => onChange(withBody(node, spliced(body, index, 1)), null)}
                />
              </>
            )}
          </div>
          <NodeForm
            node={child}
            onChange={(next, mark) =>
              onChange(withBody(node, spliced(body, index, 1, next)), below(`body/${index}`, mark))
            }
            problems={problemsBelow(problems, `/body/${index}`)}
          />
        </fieldset>
      ))}
      {isDisabled ? null : (
        <MenuButton
          label={kinds.length === 1 ? text.addPart(kindWords(kinds[0] ?? '')) : text.addPartOf(kindWords(node.kind))}
          isLabeled
          icon={<Plus />}
          entries={kinds.map((kind) => ({
            id: kind,
            label: kindWords(kind),
            onAction: () => onChange(withBody(node, [...body, grammar.newNode(kind)]), null),
          }))}
        />
      )}
    </>
  );
}

/** The program that is run, and its variables. */
function ExecuteForm(props: NodeFormProps) {
  const { records } = useEditor();
  const text = programsText();
  const { node, onChange, problems } = props;
  const id = numberArg(node, 'sequence_id');
  const called = records.programs.find((program) => program.id === id);
  const own = problems.filter(({ path }) => !path.startsWith('/body'));
  return (
    <>
      <ComboBox
        label={text.program}
        value={id}
        choices={choicesOf(records.programs)}
        onChange={(next) => onChange(withBody(withArg(node, 'sequence_id', next), []), null)}
        problem={own.length > 0 ? own.map(({ message }) => message).join(' ') : undefined}
        placeholder={text.choose}
      />
      {called ? (
        <>
          <Link to="/programs/$id" params={{ id: String(id) }}>
            {text.openProgram(called.name)}
          </Link>
          <ArgumentValues
            parameters={declaredParameters(declarationsOf(called.args))}
            applications={bodyNodes(node)}
            onChange={(body, mark) => onChange(withBody(node, body), mark)}
            problems={problems}
          />
        </>
      ) : null}
    </>
  );
}

export interface ArgumentValuesProps {
  readonly parameters: readonly Parameter[];
  /** The `parameter_application`s that set them. */
  readonly applications: readonly ProgramNode[];
  readonly onChange: (applications: readonly ProgramNode[], mark: string | null) => void;
  readonly problems?: readonly Problem[];
  /** Whether the values may be variables of the program that contains it. */
  readonly mayBeVariable?: boolean;
}

/** The values of the variables of a program that is run. */
export function ArgumentValues({
  parameters,
  applications,
  onChange,
  problems = [],
  mayBeVariable = true,
}: ArgumentValuesProps) {
  const { grammar, names, declarations } = useEditor();
  const text = programsText();
  const mayHold = mayBeVariable && declarations.length > 0;
  const isKind = (each: Alternative): each is Extract<Alternative, { type: 'node' }> => each.type === 'node';
  const kinds = grammar
    .alternatives('parameter_application', 'data_value')
    .filter(isKind)
    .map(({ kind }) => kind)
    .filter((kind) => !kind.endsWith('_placeholder') && (mayHold || kind !== 'identifier'));
  return parameters.map(({ label, defaultValue }) => {
    const value = appliedValue(applications, label);
    const fitting = fittingKinds(defaultValue) ?? kinds;
    const index = applications.findIndex(({ args }) => args.label === label);
    const own = index < 0 ? [] : problemsBelow(problems, `/body/${index}/args/data_value`);
    const set = (next: ProgramNode | undefined, mark: string | null): void =>
      onChange(withApplied(applications, label, next), mark && `${label}/${mark}`);
    return (
      <fieldset key={label} className={styles.part}>
        <legend>{variableName(label)}</legend>
        <Select
          label={text.valueOf(variableName(label))}
          value={isNode(value) ? value.kind : ''}
          choices={[
            {
              value: '',
              label: isPlaceholder(defaultValue) ? text.notChosen : text.defaultIs(summaryOf(defaultValue, names)),
            },
            ...kinds.filter((kind) => fitting.includes(kind)).map((kind) => ({ value: kind, label: kindWords(kind) })),
          ]}
          onChange={(kind) => set(kind === '' ? undefined : grammar.newNode(kind), null)}
        />
        {isNode(value) ? <NodeForm node={value} onChange={set} problems={own} label={label} /> : null}
      </fieldset>
    );
  });
}
