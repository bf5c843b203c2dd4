import type { ComponentType } from 'react';
import { useIsRobotCurrent, useRobotPart } from '../data/robot.ts';
import { variableName } from '../data/variable-name.ts';
import { Button } from '../ui/button.tsx';
import { ComboBox } from '../ui/combo-box.tsx';
import { type Choice, NumberField, Select } from '../ui/fields.tsx';
import { LocateFixed } from '../ui/icons.tsx';
import { byName } from '../ui/natural-order.ts';
import styles from './editor.module.css';
import { type NodeFormProps, type ProgramRecords, pointWords, useEditor } from './editor-context.ts';
import { createNode, entryOf, numberArg, textArg, withArg } from './node.ts';
import { sentenceAt } from './problem-places.ts';
import { programsText } from './text.ts';
import { argWords, kindWords, unitOf, valueWords } from './words.ts';

/** The problems of a node that has one field. */
const anyProblem = ({ problems }: NodeFormProps): string | undefined =>
  problems.length > 0 ? problems.map(({ message }) => message).join(' ') : undefined;

/** Records as choices, in the order of their names. */
export const choicesOf = (
  records: readonly { readonly id: number; readonly name: string | null }[],
): Choice<number>[] => byName(records).map(({ id, name }) => ({ value: id, label: name ?? String(id) }));

/** A picker of one record by the id in an argument. */
const recordForm = (arg: string, choices: (records: ProgramRecords) => readonly Choice<number>[]) =>
  function RecordForm(props: NodeFormProps) {
    const { records } = useEditor();
    const { node, onChange } = props;
    return (
      <ComboBox
        label={kindWords(node.kind)}
        value={numberArg(node, arg)}
        choices={choices(records)}
        onChange={(id) => onChange(withArg(node, arg, id), null)}
        problem={anyProblem(props)}
        placeholder={programsText().choose}
      />
    );
  };

function PointForm(props: NodeFormProps) {
  const { records } = useEditor();
  const { node, onChange } = props;
  return (
    <ComboBox
      label={kindWords('point')}
      value={numberArg(node, 'pointer_id')}
      choices={records.points.map((point) => ({ value: point.id, label: pointWords(point) }))}
      onChange={(id) => {
        const point = records.points.find((each) => each.id === id);
        if (point) onChange(createNode('point', { pointer_type: point.pointer_type, pointer_id: id }), null);
      }}
      problem={anyProblem(props)}
      placeholder={programsText().choose}
    />
  );
}

/** The id that lights of the electronics box are named with: any but 0. */
const lightId = -1;

function PinForm(props: NodeFormProps) {
  const { grammar, records } = useEditor();
  const { node, onChange } = props;
  const pins = [
    ...records.peripherals.map(({ id, label }) => ({ type: 'Peripheral', id, label })),
    ...records.sensors.map(({ id, label }) => ({ type: 'Sensor', id, label })),
    ...grammar
      .list('AllowedPinTypes')
      .filter((type) => !['Peripheral', 'Sensor'].includes(String(type)))
      .map((type) => ({ type: String(type), id: lightId, label: valueWords(type) })),
  ];
  const keyOf = (type: string, id: number): string => (type.startsWith('BoxLed') ? type : `${type} ${id}`);
  return (
    <ComboBox
      label={kindWords('named_pin')}
      value={keyOf(textArg(node, 'pin_type'), numberArg(node, 'pin_id'))}
      choices={pins.map(({ type, id, label }) => ({
        value: keyOf(type, id),
        label: id === lightId ? label : `${label} (${valueWords(type)})`,
      }))}
      onChange={(key) => {
        const pin = pins.find(({ type, id }) => keyOf(type, id) === key);
        if (pin) onChange(createNode('named_pin', { pin_type: pin.type, pin_id: pin.id }), null);
      }}
      problem={anyProblem(props)}
      placeholder={programsText().choose}
    />
  );
}

function ResourceForm(props: NodeFormProps) {
  const { grammar, records } = useEditor();
  const { node, onChange } = props;
  const type = textArg(node, 'resource_type');
  const labeled = (list: readonly { id: number; label: string }[]) =>
    list.map(({ id, label }) => ({ value: id, label }));
  const lists: Readonly<Record<string, () => readonly Choice<number>[]>> = {
    Sequence: () => choicesOf(records.programs),
    Peripheral: () => labeled(records.peripherals),
    Sensor: () => labeled(records.sensors),
    Point: () => records.points.map((point) => ({ value: point.id, label: pointWords(point) })),
  };
  const points = () =>
    records.points
      .filter(({ pointer_type }) => pointer_type === type)
      .map((point) => ({ value: point.id, label: pointWords(point) }));
  return (
    <>
      <Select
        label={argWords('resource_type')}
        value={type}
        choices={grammar.list('resource_type').map((each) => ({ value: String(each), label: valueWords(each) }))}
        onChange={(next) => onChange(createNode('resource', { resource_type: next, resource_id: 0 }), null)}
      />
      {type === 'Device' ? null : (
        <ComboBox
          label={valueWords(type)}
          value={numberArg(node, 'resource_id')}
          choices={(entryOf(lists, type) ?? points)()}
          onChange={(id) => onChange(withArg(node, 'resource_id', id), null)}
          problem={anyProblem(props)}
          placeholder={programsText().choose}
        />
      )}
    </>
  );
}

/** The label of a node that is one of a list: a variable, a value that the robot computes. */
const labelForm = (
  choices: (context: ReturnType<typeof useEditor>, props: NodeFormProps) => readonly Choice<string>[],
) =>
  function LabelForm(props: NodeFormProps) {
    const context = useEditor();
    const { node, onChange } = props;
    const label = textArg(node, 'label');
    return (
      <Select
        label={kindWords(node.kind)}
        value={label === '' ? null : label}
        choices={choices(context, props)}
        onChange={(next) => onChange(withArg(node, 'label', next), null)}
        problem={anyProblem(props)}
        placeholder={programsText().choose}
      />
    );
  };

/** Three numbers, and the robot's position to take over. */
function CoordinateForm({ node, onChange, problems, label }: NodeFormProps) {
  const { isDisabled } = useEditor();
  const position = useRobotPart(({ status }) => status?.position);
  const isCurrent = useIsRobotCurrent();
  const text = programsText();
  return (
    <>
      <div className={styles.axes}>
        {(['x', 'y', 'z'] as const).map((axis) => (
          <NumberField
            key={axis}
            label={argWords(axis)}
            unit={unitOf(axis) ?? ''}
            value={numberArg(node, axis)}
            onChange={(value) => onChange(withArg(node, axis, Number.isNaN(value) ? 0 : value), axis)}
            problem={sentenceAt(
              problems.filter(({ path }) => path === `/args/${axis}`).map((each) => ({ ...each, path: '' })),
            )}
          />
        ))}
      </div>
      {!isDisabled &&
      isCurrent &&
      position?.x != null &&
      position.y != null &&
      position.z != null &&
      label !== argWords('offset') ? (
        <Button
          tone="quiet"
          icon={<LocateFixed />}
          onPress={() =>
            onChange(createNode('coordinate', { x: position.x ?? 0, y: position.y ?? 0, z: position.z ?? 0 }), null)
          }
        >
          {text.usePosition}
        </Button>
      ) : null}
    </>
  );
}

/** Forms of kinds without other nodes, whose arguments belong together, or name records. */
export const recordForms: Readonly<Record<string, ComponentType<NodeFormProps>>> = {
  coordinate: CoordinateForm,
  identifier: labelForm(({ declarations }, { variables = declarations.map((node) => textArg(node, 'label')) }) =>
    [...new Set(variables)].map((label) => ({ value: label, label: variableName(label) })),
  ),
  named_pin: PinForm,
  point: PointForm,
  point_group: recordForm('point_group_id', ({ groups }) => choicesOf(groups)),
  resource: ResourceForm,
  special_value: labelForm(({ grammar }) =>
    grammar.list('ALLOWED_SPECIAL_VALUE').map((value) => ({ value: String(value), label: valueWords(value) })),
  ),
  tool: recordForm('tool_id', ({ tools }) => choicesOf(tools)),
};
