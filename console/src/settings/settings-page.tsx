import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Download, Upload } from 'lucide-react';
import { FileTrigger } from 'react-aria-components';
import { groupBy } from '../data/groups.ts';
import { queryClient } from '../data/query-client.ts';
import { wordsOf } from '../data/schema-fields.tsx';
import { type Field, useFields } from '../data/schemas.ts';
import { settingWords } from '../data/setting-words.ts';
import { useMayWrite } from '../data/singles.ts';
import { Button } from '../ui/button.tsx';
import { Part as Suspended } from '../ui/failure.tsx';
import { Checkbox, TextField } from '../ui/fields.tsx';
import { Card, EmptyState, Page } from '../ui/page.tsx';
import { Tabs, tabClass } from '../ui/tabs.tsx';
import { showProblem, showToast } from '../ui/toasts.tsx';
import { BrowserSettings } from './browser-settings.tsx';
import { groupOf, groupsOf } from './groups.ts';
import { type PartName, partNames, parts } from './parts.ts';
import { settingsRoute } from './routes.ts';
import { changeSettings, isDefault, Setting } from './setting.tsx';
import styles from './settings.module.css';
import { settingsText } from './text.ts';

type Values = Readonly<Record<string, unknown>>;

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
        await changeSettings(name, update, text.saved(text.parts[name]));
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
