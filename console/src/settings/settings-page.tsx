import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { FileTrigger } from 'react-aria-components';
import { languageLabels, languages } from '../../../src/core/languages.ts';
import { type BatchPart, sendTogether } from '../data/changes.ts';
import { chooseLanguage } from '../data/chosen-language.ts';
import { groupBy } from '../data/groups.ts';
import { queryClient } from '../data/query-client.ts';
import { titleOf } from '../data/schema.ts';
import { type Field, fieldsOf, useFields, useSchemas } from '../data/schemas.ts';
import { type Part, type PartName, partNames, parts, valuesQuery, wayBack } from '../data/setting-parts.ts';
import { singlesKey } from '../data/single-updates.ts';
import { useMayWrite } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { Button } from '../ui/button.tsx';
import { saveFile } from '../ui/download.ts';
import { Part as Suspended } from '../ui/failure.tsx';
import { Checkbox, Select } from '../ui/fields.tsx';
import { FindField } from '../ui/find-field.tsx';
import { Download, Upload } from '../ui/icons.tsx';
import { useLanguage } from '../ui/language.ts';
import { plain } from '../ui/letters.ts';
import { Card, EmptyState, Page } from '../ui/page.tsx';
import { PartTabs } from '../ui/tabs.tsx';
import { setThemeChoice, type ThemeChoice, useThemeChoice } from '../ui/theme.ts';
import { showProblem, showToast } from '../ui/toasts.tsx';
import { isDefault, Setting } from './setting.tsx';
import styles from './settings.module.css';
import { settingsText, settingsWords } from './text.ts';

const settingsRoute = getRouteApi('/garden/settings');

/** The settings of the garden, the robot and the map: all fields of the API, with their defaults. */
export function SettingsPage() {
  const text = settingsText();
  const { part = 'garden', find, changed } = settingsRoute.useSearch();
  const navigate = useNavigate({ from: '/settings' });
  return (
    <Page
      title={text.title}
      part={find ? undefined : text.parts[part]}
      actions={<Transfer />}
      bar={
        <PartTabs label={text.title} parts={partNames} open={find ? undefined : part}>
          {(name, tab) => (
            <Link {...tab} to="/settings" search={(before) => ({ ...before, part: name, find: undefined })}>
              {text.parts[name]}
            </Link>
          )}
        </PartTabs>
      }
    >
      <div className={styles.filters}>
        <FindField label={text.find} />
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
        {find ? (
          <Found find={find} isChangedOnly={changed === true} />
        ) : (
          <PartFields key={part} name={part} isChangedOnly={changed === true} />
        )}
      </Suspended>
    </Page>
  );
}

/** Returns the settings of a part that match the search, with their values. Suspends. */
function useMatches(name: PartName, find: string, isChangedOnly: boolean) {
  const text = settingsText();
  const { update, followed }: Part = parts[name];
  const values = useSuspenseQuery(valuesQuery(name)).data;
  const needle = plain(find);
  const describe = (field: Field): Field => ({
    ...field,
    hint: [field.hint, rangeOf(field), followed?.includes(field.name) === false ? text.vendorOnly : '']
      .filter(Boolean)
      .join(' '),
  });
  const fields = useFields(update)
    .map((field) => (field.name === 'timezone' ? withZones(field) : describe(field)))
    .filter(
      (field) =>
        field.kind !== 'time' &&
        (!isChangedOnly || !isDefault(field, values[field.name])) &&
        plain(`${field.label} ${field.name} ${field.hint ?? ''}`).includes(needle),
    );
  return { name, values, fields };
}

/** Larger limits follow from the number type, and are not shown. */
const maxLimit = 1_000_000;

/** Returns a sentence about the limits of a setting; empty if it has none of its own. */
function rangeOf({ minimum, maximum }: Field): string {
  if (minimum === undefined || maximum === undefined) return '';
  const span = maximum - minimum;
  return span > 1 && span < maxLimit ? settingsText().range(minimum, maximum) : '';
}

/** Time zones are chosen: the browser's list, and UTC, which some lists lack. */
const withZones = (field: Field): Field => ({
  ...field,
  kind: 'choice',
  hint: '',
  enum: [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])],
});

const NothingFound = () => (
  <div role="status">
    <EmptyState title={settingsText().nothing} />
  </div>
);

interface FoundProps {
  readonly find: string;
  readonly isChangedOnly: boolean;
}

/** The settings of all parts that match the search. */
function Found({ find, isChangedOnly }: FoundProps) {
  const text = settingsText();
  const found = [
    useMatches('garden', find, isChangedOnly),
    useMatches('os', find, isChangedOnly),
    useMatches('firmware', find, isChangedOnly),
    useMatches('map', find, isChangedOnly),
  ].filter(({ fields }) => fields.length > 0);
  // Settings of the browser have no default.
  const isOfBrowser = !isChangedOnly && browserSettingsOf(find).length > 0;
  if (found.length === 0 && !isOfBrowser) return <NothingFound />;
  return (
    <>
      {isOfBrowser ? <BrowserSettings find={find} /> : null}
      {found.map((each) => (
        <Groups key={each.name} {...each} title={text.parts[each.name]} />
      ))}
    </>
  );
}

function PartFields({ name, isChangedOnly }: { readonly name: PartName; readonly isChangedOnly: boolean }) {
  const found = useMatches(name, '', isChangedOnly);
  return found.fields.length === 0 ? <NothingFound /> : <Groups {...found} />;
}

interface GroupsProps extends ReturnType<typeof useMatches> {
  /** The part, where several are shown. */
  readonly title?: string;
}

/** Settings in cards, one for each group. */
function Groups({ name, values, fields, title }: GroupsProps) {
  const text = settingsText();
  const groups = useSchemas()[parts[name].update]?.['x-groups'] ?? [];
  const byGroup = groupBy(fields, (field) => groups.find(({ names }) => names.includes(field.name)));
  return [...groups, undefined].map((group) => {
    const members = byGroup.get(group) ?? [];
    const words = (group && titleOf(group)) ?? text.other;
    return members.length === 0 ? null : (
      <Card key={words} title={title === undefined ? words : text.groupOf(title, words)}>
        <div className={styles.fields}>
          {members.map((field) => (
            <Setting key={field.name} part={name} field={field} value={values[field.name]} />
          ))}
        </div>
      </Card>
    );
  });
}

/** Exports all settings to a file, and imports them from one. */
function Transfer() {
  const text = settingsText();
  const mayWrite = useMayWrite();
  const schemas = useSchemas();
  // Ids belong to one garden.
  const namesOf = (name: PartName): readonly string[] =>
    fieldsOf(schemas[parts[name].update] ?? {}, schemas).flatMap(({ kind, collection, name: field }) =>
      kind === 'time' || collection ? [] : [field],
    );
  const exportAll = async (): Promise<void> => {
    const all: Record<string, unknown> = {};
    for (const name of partNames) {
      const record = await queryClient.ensureQueryData(valuesQuery(name));
      all[name] = Object.fromEntries(namesOf(name).map((field) => [field, record[field]]));
    }
    saveFile(new Blob([JSON.stringify(all, null, 2)], { type: 'application/json' }), 'potager-settings.json');
  };
  const importFrom = async (file: File): Promise<void> => {
    try {
      const all: Readonly<Record<string, object>> | null = JSON.parse(await file.text());
      const requests: BatchPart[] = [];
      let [known, changed] = [0, 0];
      let back: ReturnType<typeof wayBack>;
      for (const name of partNames) {
        const names = new Set(namesOf(name));
        const sent = Object.entries(all?.[name] ?? {}).filter(([key]) => names.has(key));
        const record = await queryClient.ensureQueryData(valuesQuery(name));
        const differing = sent.filter(([key, value]) => value !== record[key]);
        known += sent.length;
        changed += differing.length;
        if (differing.length === 0) continue;
        const body = Object.fromEntries(differing);
        requests.push({ method: 'PATCH', path: parts[name].path, body });
        back ??= wayBack(name, body);
      }
      if (known === 0) return void showToast({ text: text.noSettings, tone: 'problem' });
      if (changed === 0) return void showToast({ text: text.sameSettings });
      await undoable(text.imported(changed), (label) => sendTogether(requests, label), undefined, back);
      await queryClient.invalidateQueries({ queryKey: singlesKey });
    } catch (error) {
      if (error instanceof SyntaxError) showToast({ text: text.noSettings, tone: 'problem' });
      else showProblem(error);
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

const names = ['language', 'theme'] as const;

/** Returns the settings of this browser whose label matches a search, in any language: a person who looks for the language may not read the current one. */
const browserSettingsOf = (find: string): readonly (typeof names)[number][] =>
  names.filter((name) => settingsWords[name].some((word) => plain(word).includes(plain(find))));

/** Settings of this browser that match a search. */
function BrowserSettings({ find = '' }: { readonly find?: string }) {
  const shown = browserSettingsOf(find);
  const text = settingsText();
  const choices: readonly { readonly value: ThemeChoice; readonly label: string }[] = [
    { value: 'system', label: text.system },
    { value: 'light', label: text.light },
    { value: 'dark', label: text.dark },
  ];
  const language = useLanguage();
  const theme = useThemeChoice();
  if (shown.length === 0) return null;
  return (
    <Card title={text.appearance}>
      <div className={styles.fields}>
        {shown.includes('language') ? (
          <Select
            label={text.language}
            value={language}
            choices={languages.map((value) => ({
              value,
              label: languageLabels[value],
            }))}
            onChange={chooseLanguage}
          />
        ) : null}
        {shown.includes('theme') ? (
          <Select label={text.theme} value={theme} choices={choices} onChange={setThemeChoice} />
        ) : null}
      </div>
      {find === '' ? <p>{isSecureContext ? text.install : text.installNeedsHttps}</p> : null}
    </Card>
  );
}
