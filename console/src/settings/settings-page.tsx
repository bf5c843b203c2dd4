import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Download, RotateCcw, Upload } from 'lucide-react';
import { useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { send } from '../data/api.ts';
import { ApiError } from '../data/api-error.ts';
import { groupBy } from '../data/groups.ts';
import { queryClient } from '../data/query-client.ts';
import { isFlag, SchemaField, wordsOf } from '../data/schema-fields.tsx';
import { type Field, useFields } from '../data/schemas.ts';
import { settingWords } from '../data/setting-words.ts';
import { updateSingle, useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { useDraft } from '../ui/draft.ts';
import { Part as Suspended } from '../ui/failure.tsx';
import { Checkbox, TextField } from '../ui/fields.tsx';
import { Card, EmptyState, Page } from '../ui/page.tsx';
import { Tabs, tabClass } from '../ui/tabs.tsx';
import { showProblem, showToast } from '../ui/toasts.tsx';
import { BrowserSettings } from './browser-settings.tsx';
import { groupOf, groupsOf } from './groups.ts';
import { type PartName, partNames, parts } from './parts.ts';
import { settingsRoute } from './routes.ts';
import styles from './settings.module.css';
import { settingsText } from './text.ts';

type Values = Readonly<Record<string, unknown>>;

/** Changes fields of the settings, and shows them at once. Throws an ApiError. */
async function change(name: PartName, update: Values, sentence: string): Promise<void> {
  const { query, path } = parts[name];
  await undoable(sentence, (label) =>
    updateSingle<Values & object>(query, update, async () => ({ data: await send('PATCH', path, update, label) })),
  );
}

/** The settings of the garden, the robot and the map: all fields of the API, with what they are by default. */
export function SettingsPage() {
  const text = settingsText();
  const { part = 'garden', find, changed } = settingsRoute.useSearch();
  const navigate = useNavigate({ from: '/settings' });
  return (
    <Page
      title={text.title}
      part={text.parts[part]}
      actions={<Transfer />}
      bar={
        <Tabs label={text.title}>
          {partNames.map((name) => (
            <Link
              key={name}
              to="/settings"
              search={(before) => ({ ...before, part: name })}
              className={tabClass}
              aria-current={name === part ? 'page' : undefined}
            >
              {text.parts[name]}
            </Link>
          ))}
        </Tabs>
      }
    >
      <div className={styles.filters}>
        <TextField
          label={text.find}
          type="search"
          value={find ?? ''}
          onChange={(next) =>
            void navigate({ search: (before) => ({ ...before, find: next || undefined }), replace: true })
          }
        />
        <Checkbox
          label={text.changedOnly}
          isSelected={changed === true}
          onChange={(next) =>
            void navigate({ search: (before) => ({ ...before, changed: next || undefined }), replace: true })
          }
        />
      </div>
      {part === 'map' && !find ? <BrowserSettings /> : null}
      <Suspended>
        <PartFields key={part} name={part} find={find ?? ''} isChangedOnly={changed === true} />
      </Suspended>
    </Page>
  );
}

const isDefault = (field: Field, value: unknown): boolean =>
  field['x-default'] === undefined || (value ?? null) === (field['x-default'] ?? null);

function PartFields({
  name,
  find,
  isChangedOnly,
}: {
  readonly name: PartName;
  readonly find: string;
  readonly isChangedOnly: boolean;
}) {
  const text = settingsText();
  const words = settingWords();
  const { query, update } = parts[name];
  const values = useSuspenseQuery<Values>(query as never).data;
  const labelOf = (field: Field): string => words.label(field.name) ?? wordsOf(field.name);
  const needle = find.toLowerCase();
  const fields = useFields(update)
    .map((field) => ({ ...field, description: words.hint(field) }))
    .filter(
      (field) =>
        field.kind !== 'time' &&
        (!isChangedOnly || !isDefault(field, values[field.name])) &&
        `${labelOf(field)} ${field.name} ${field.description ?? ''}`.toLowerCase().includes(needle),
    );
  if (fields.length === 0)
    return (
      <div role="status">
        <EmptyState title={text.nothing} />
      </div>
    );
  const byGroup = groupBy(fields, (field) => groupOf(name, field.name));
  return [...groupsOf(name), undefined].map((group) => {
    const members = byGroup.get(group) ?? [];
    return members.length === 0 ? null : (
      <Card key={group} title={group === undefined ? text.other : words.groups[group]}>
        <div className={styles.fields}>
          {members.map((field) => (
            <Setting key={field.name} part={name} field={field} label={labelOf(field)} value={values[field.name]} />
          ))}
        </div>
      </Card>
    );
  });
}

interface SettingProps {
  readonly part: PartName;
  readonly field: Field;
  readonly label: string;
  readonly value: unknown;
}

/** One setting. Switches and choices are saved at once, what is typed when the field is left. What was not saved is kept in the tab. */
function Setting({ part, field, label, value }: SettingProps) {
  const text = settingsText();
  const [typed, setTyped, endDraft] = useDraft<{ readonly value: unknown } | null>(
    `setting ${part} ${field.name}`,
    null,
  );
  const [isKept] = useState(typed !== null);
  const [problem, setProblem] = useState<string>();
  const mayWrite = useMayWrite();
  const fallback = field['x-default'];
  const isChanged = !isDefault(field, value);
  const forget = (): void => {
    setTyped(null);
    endDraft();
    setProblem(undefined);
  };
  const save = async (next: unknown): Promise<void> => {
    if (next === value) return forget();
    try {
      await change(part, { [field.name]: next }, text.saved(label));
      forget();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setTyped({ value: next });
      setProblem(error.fields[field.name] ?? error.message);
    }
  };
  const isTyped = field.kind === 'text';
  const shown = (each: unknown): string =>
    each === true || (each === 1 && isFlag(field))
      ? text.yes
      : each === false || (each === 0 && isFlag(field))
        ? text.no
        : each === null || each === ''
          ? text.empty
          : String(each);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears that the field in it was left
    <div
      className={styles.setting}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (typed && !currentTarget.contains(relatedTarget)) void save(typed.value);
      }}
    >
      <SchemaField
        field={field}
        label={label}
        value={typed ? typed.value : value}
        problem={problem}
        isDisabled={!mayWrite}
        onChange={(next) => (isTyped ? setTyped({ value: next }) : void save(next))}
      />
      {typed && mayWrite && (isKept || problem !== undefined) ? (
        <span className={styles.changed}>
          <strong>{text.unsaved}</strong>
          <Button onPress={() => void save(typed.value)}>{text.save}</Button>
          <Button onPress={forget}>{text.discard}</Button>
        </span>
      ) : null}
      {isChanged && fallback !== undefined ? (
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

/** Saves all settings as a file, and takes them from one. */
function Transfer() {
  const text = settingsText();
  const mayWrite = useMayWrite();
  const fields = {
    garden: useFields('DeviceUpdate'),
    os: useFields('FbosConfigUpdate'),
    firmware: useFields('FirmwareConfigUpdate'),
    map: useFields('WebAppConfigUpdate'),
  };
  const exportAll = async (): Promise<void> => {
    const all: Record<string, unknown> = {};
    for (const name of partNames) {
      const record = (await queryClient.ensureQueryData(parts[name].query as never)) as Values;
      all[name] = Object.fromEntries(
        fields[name].flatMap((field) => (field.kind === 'time' ? [] : [[field.name, record[field.name]]])),
      );
    }
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([JSON.stringify(all, null, 2)], { type: 'application/json' }));
    link.download = 'potager-settings.json';
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const importFrom = async (file: File): Promise<void> => {
    try {
      const all: unknown = JSON.parse(await file.text());
      let count = 0;
      for (const name of partNames) {
        const known = new Set(fields[name].flatMap((field) => (field.kind === 'time' ? [] : [field.name])));
        const sent = (all as Readonly<Record<string, unknown>> | null)?.[name] ?? {};
        const record = (await queryClient.ensureQueryData(parts[name].query as never)) as Values;
        const update = Object.fromEntries(
          Object.entries(sent).filter(([key, value]) => known.has(key) && value !== null && value !== record[key]),
        );
        if (Object.keys(update).length === 0) continue;
        await change(name, update, text.saved(text.parts[name]));
        count += Object.keys(update).length;
      }
      showToast({ text: count > 0 ? text.imported(count) : text.noSettings });
    } catch (error) {
      showProblem(error);
    }
  };
  return (
    <>
      <Button icon={<Download />} onPress={() => void exportAll()}>
        {text.export}
      </Button>
      {mayWrite ? (
        <FileTrigger
          acceptedFileTypes={['application/json']}
          onSelect={(files) => files?.[0] && void importFrom(files[0])}
        >
          <Button icon={<Upload />}>{text.import}</Button>
        </FileTrigger>
      ) : null}
    </>
  );
}
