import { useState } from 'react';
import { deleteRecords, updatePoints, updateRecord } from '../data/changes.ts';
import { choiceLabel } from '../data/choice-label.ts';
import { type UpdateOf, valuesOf } from '../data/collections.ts';
import { cropName, useCrops } from '../data/crops.ts';
import { useZone } from '../data/garden-time.ts';
import { hasWidget, SchemaFields, type Values, wordedFields } from '../data/schema-fields.tsx';
import { type Field, useFields, useLabels } from '../data/schemas.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { dayAt, plantingOn } from '../data/zoned-days.ts';
import { ComboBox } from '../ui/combo-box.tsx';
import { useStoredDraft } from '../ui/draft.ts';
import { Select, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Meanwhile } from '../ui/meanwhile.tsx';
import { useSubmission } from '../ui/submission.ts';
import { showProblem } from '../ui/toasts.tsx';
import type { Point } from './points.ts';
import { mapText } from './text.ts';

type PointUpdate = UpdateOf<'points'>;

/** In the order of a plant's life. */
const stages = ['planned', 'planted', 'sprouted', 'active', 'pending', 'harvested', 'removed'] as const;
const pullouts = [0, 1, 2, 3, 4] as const;
const mounts = [0, 1, 2, 3] as const;

/** Fields that make no sense for several points. */
const single = ['name', 'x', 'y', 'tool_id'];

/** Fields with widgets of their own that show their problems. */
const own = ['openfarm_slug', 'planted_at', 'plant_stage', 'pullout_direction', 'mount_stage', 'gantry_mounted'];

/** The part that carries a slot: older clients know only the gantry. */
const mountOf = ({ mount_stage, gantry_mounted }: Values): number | null =>
  mount_stage === 0 && gantry_mounted === true ? 1 : typeof mount_stage === 'number' ? mount_stage : null;

/** Deletes points in one change, which can be undone. */
export async function deletePoints(points: readonly Point[]): Promise<void> {
  const ids = points.map(({ id }) => id);
  try {
    await undoable(mapText().deleted(points.length, points[0]?.name ?? ''), (label) =>
      deleteRecords('points', ids, { label }),
    );
  } catch (error) {
    showProblem(error);
  }
}

/** Values that all points share, by field, else null: of times, their day counts, which is what the form shows. */
const commonValues = (points: readonly Point[], fields: readonly Field[], zone: string): Values =>
  Object.fromEntries(
    fields.map(({ name, kind }) => {
      const [first, ...others] = points.map((point) => valuesOf(point)[name]);
      const shown = (value: unknown): unknown =>
        kind === 'time' && typeof value === 'string' ? dayAt(value, zone) : value;
      // Without a value, the field would show its default.
      return [name, others.every((value) => shown(value) === shown(first)) ? first : null];
    }),
  );

/** The fields of one point, or the fields that several share; saved together. */
export function PointForm({ points }: { readonly points: readonly Point[] }) {
  const text = mapText();
  const mayWrite = useMayWrite();
  const isMany = points.length > 1;
  const fields = useFields('PointUpdate').filter(
    ({ name }) => points.every((point) => name in point) && !(isMany && single.includes(name)),
  );
  const key = `points ${points.map(({ id }) => id).join()}`.slice(0, 200);
  const zone = useZone();
  const draft = useStoredDraft<Values>(key, commonValues(points, fields, zone));
  const { value: values, changes, isChanged } = draft;
  const submission = useSubmission(values);
  const crops = useCrops();
  const set = (name: string) => (value: unknown) => draft.set({ ...values, [name]: value });
  const save = async (): Promise<void> => {
    const isDone = await submission.run(() =>
      undoable<unknown>(text.saved(points.length, points[0]?.name ?? ''), (label) => {
        const update = changes as PointUpdate;
        return points.length === 1 && points[0]
          ? updateRecord('points', points[0].id, update, { label })
          : updatePoints(new Map(points.map(({ id }) => [id, update])), { label });
      }),
    );
    if (isDone) draft.end();
  };
  const labelOf = useLabels('Point');
  const has = (name: string): boolean => fields.some((field) => field.name === name);
  const shared = { values, onChange: draft.set, problems: submission.problems };
  const fieldProps = (name: string) => ({ name, label: labelOf(name), problem: submission.problems[name] });
  return (
    <Form
      onSubmit={save}
      submit={mayWrite ? text.save : undefined}
      isReadOnly={!mayWrite}
      submission={submission}
      fields={fields.filter((field) => own.includes(field.name) || hasWidget(field)).map(({ name }) => name)}
      isDisabled={!isChanged}
      isChanged={isChanged}
      cancel={text.discard}
      onCancel={isChanged ? draft.end : undefined}
    >
      <Meanwhile
        draft={draft}
        submission={submission}
        fields={{
          ...wordedFields(fields),
          openfarm_slug: [
            fieldProps('openfarm_slug').label,
            (slug) => {
              const crop = crops.get(String(slug));
              return crop ? cropName(crop) : null;
            },
          ],
        }}
      >
        <SchemaFields {...shared} fields={fields.filter(({ name }) => name === 'name')} />
        {has('openfarm_slug') ? (
          <CropField {...fieldProps('openfarm_slug')} value={values.openfarm_slug} onChange={set('openfarm_slug')} />
        ) : null}
        {has('plant_stage') ? (
          <Select
            {...fieldProps('plant_stage')}
            value={typeof values.plant_stage === 'string' ? values.plant_stage : null}
            choices={stages.map((value) => ({ value, label: choiceLabel('plant_stage', value) ?? value }))}
            onChange={set('plant_stage')}
          />
        ) : null}
        {has('planted_at') ? (
          <TextField
            {...fieldProps('planted_at')}
            type="date"
            value={typeof values.planted_at === 'string' ? dayAt(values.planted_at, zone) : ''}
            onChange={(day) => set('planted_at')(plantingOn(day, zone, Date.now()))}
          />
        ) : null}
        <SchemaFields
          {...shared}
          fields={fields.filter(({ name }) => !['name', ...own].includes(name) && !name.startsWith('mount_'))}
        />
        {has('pullout_direction') ? (
          <Select
            {...fieldProps('pullout_direction')}
            value={typeof values.pullout_direction === 'number' ? values.pullout_direction : null}
            choices={pullouts.map((value) => ({
              value,
              label: choiceLabel('pullout_direction', value) ?? String(value),
            }))}
            onChange={set('pullout_direction')}
          />
        ) : null}
        {has('mount_stage') ? (
          <Select
            {...fieldProps('mount_stage')}
            value={mountOf(values)}
            choices={mounts.map((value) => ({ value, label: choiceLabel('mount_stage', value) ?? String(value) }))}
            onChange={(stage) => draft.set({ ...values, mount_stage: stage, gantry_mounted: stage === 1 })}
          />
        ) : null}
        <SchemaFields {...shared} fields={fields.filter(({ name }) => name.startsWith('mount_offset_'))} />
        {isMany ? null : <MetaFields meta={values.meta} onChange={set('meta')} />}
      </Meanwhile>
    </Form>
  );
}

interface CropFieldProps {
  readonly name: string;
  readonly label: string;
  readonly problem?: string | undefined;
  readonly value: unknown;
  readonly onChange: (slug: string) => void;
}

/** The crop of plants; one that the catalog lacks stays unchanged. */
function CropField({ value, ...props }: CropFieldProps) {
  const crops = [...useCrops().values()].map((crop) => ({ value: crop.slug, label: cropName(crop) }));
  const slug = typeof value === 'string' ? value : null;
  const isKnown = slug === null || crops.some((crop) => crop.value === slug);
  return <ComboBox {...props} value={slug} choices={isKnown ? crops : [{ value: slug, label: slug }, ...crops]} />;
}

/** The further details of a point: texts by their names. */
function MetaFields({
  meta,
  onChange,
}: {
  readonly meta: unknown;
  readonly onChange: (meta: Readonly<Record<string, string>>) => void;
}) {
  const values = (typeof meta === 'object' && meta !== null ? meta : {}) as Readonly<Record<string, string>>;
  const [shown] = useState(() => Object.keys(values));
  const labelOf = useLabels('Point');
  return shown.map((name) => (
    <TextField
      key={name}
      label={labelOf(name, name)}
      value={values[name] ?? ''}
      onChange={(value) => onChange({ ...values, [name]: value })}
    />
  ));
}
