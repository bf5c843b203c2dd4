import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Autocomplete, Input, Label, Menu, MenuItem, SearchField } from 'react-aria-components';
import { languageLabels, languages } from '../../../src/core/languages.ts';
import { choiceLabel } from '../data/choice-label.ts';
import { chooseLanguage } from '../data/chosen-language.ts';
import { type CollectionName, listQuery, type RecordOf } from '../data/collections.ts';
import { commandSentence, type RobotProgram, runCommand } from '../data/commands.ts';
import { stopRobot } from '../data/emergency-stop.ts';
import { queryClient } from '../data/query-client.ts';
import { listTitle } from '../data/resource-names.ts';
import { nameOf } from '../data/schema-fields.tsx';
import { knownRole } from '../data/stop-socket.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Camera, House, Keyboard, Languages, LogOut, OctagonX, Settings, Sprout, SunMoon } from '../ui/icons.tsx';
import { getLanguage } from '../ui/language.ts';
import { uiText } from '../ui/text.ts';
import { getThemeChoice, setThemeChoice, type ThemeChoice } from '../ui/theme.ts';
import { showToast } from '../ui/toasts.tsx';
import { type Entry, navigation, useNavigation } from './navigation.ts';
import styles from './search.module.css';
import { matchingEntries, type Place, type SearchEntry } from './search-entries.ts';
import { searchText } from './search-text.ts';
import { stopText } from './stop-text.ts';
import { shellText } from './text.ts';

interface SearchDialogProps {
  readonly onClose: () => void;
  readonly showShortcuts: () => void;
}

/** Returns the entries of all lists that were read, and the state of the others. The dialog closes before the language changes. */
function useRecordEntries() {
  const lists = useQueries({
    queries: recordPages.map(({ collection }) => listQuery<CollectionName>(collection)),
    combine: (results) => ({
      records: results.map(({ data }) => data ?? []),
      isReading: results.some(({ isPending }) => isPending),
      isIncomplete: results.some(({ isError }) => isError),
    }),
  });
  const { records } = lists;
  const entries = useMemo(
    () =>
      recordPages.flatMap(({ entriesOf }, index) =>
        (entriesOf as (records: readonly RecordOf<CollectionName>[]) => readonly SearchEntry[])(records[index] ?? []),
      ),
    [records],
  );
  return { ...lists, entries };
}

/** Returns the parts of pages, such as the webhooks of the account; none until they are read. */
function usePartEntries(pages: readonly Entry[]): readonly SearchEntry[] {
  const { routesByPath } = useRouter();
  const read = async ({ to, label: kind, icon }: Entry): Promise<readonly SearchEntry[]> => {
    const { staticData } = routesByPath[to as keyof typeof routesByPath].options;
    const parts = (await staticData?.parts?.()) ?? [];
    return parts.map(({ label, search }) => ({ id: `${to} ${label}`, label, kind, icon, target: { to, search } }));
  };
  const { data } = useQuery({
    queryKey: ['parts of pages', getLanguage(), pages.map(({ to }) => to)],
    queryFn: async () => (await Promise.all(pages.map(read))).flat(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? [];
}

/** Finds pages, records by their names, and commands. It is loaded when it is opened. */
export function SearchDialog({ onClose, showShortcuts }: SearchDialogProps) {
  const text = searchText();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const { entries: records, isReading, isIncomplete } = useRecordEntries();
  const shown = useNavigation();
  const parts = usePartEntries(shown);
  const pages = shown.map(
    ({ to, label, icon }): SearchEntry => ({ id: `page${to}`, label, kind: text.page, icon, target: { to } }),
  );
  const isAsking = typed.trim() !== '';
  const named = isAsking ? [...parts, ...records] : [];
  const matching = matchingEntries([...pages, ...searchCommands(showShortcuts), ...named], typed);
  const inSettings: SearchEntry = {
    id: 'settings',
    label: text.inSettings(typed.trim()),
    kind: text.page,
    icon: Settings,
    target: { to: '/settings', search: { find: typed.trim() } },
  };
  const found = matching.length > 0 || isReading ? matching : [inSettings];
  const choose = ({ target }: SearchEntry): void => {
    onClose();
    if (typeof target === 'function') target();
    else void navigate(target);
  };
  return (
    <Dialog title={text.title} isOpen onClose={onClose}>
      <Autocomplete inputValue={typed} onInputChange={setTyped}>
        <SearchField autoFocus className={styles.field ?? ''}>
          <Label className={styles.label ?? ''}>{text.hint}</Label>
          <Input className={styles.input ?? ''} />
        </SearchField>
        <Menu<SearchEntry> aria-label={text.results} className={styles.results ?? ''} items={found}>
          {(entry) => {
            const { label, kind, detail, icon: Icon } = entry;
            return (
              <MenuItem textValue={label} className={styles.result ?? ''} onAction={() => choose(entry)}>
                <Icon size={18} aria-hidden="true" />
                <span className={styles.name}>{label}</span>
                <span className={styles.kind}>
                  {kind} {detail}
                </span>
              </MenuItem>
            );
          }}
        </Menu>
      </Autocomplete>
      <p role="status" className={styles.note}>
        {isAsking && isReading ? text.reading : isAsking ? text.found(matching.length) : null}{' '}
        {isIncomplete ? text.incomplete : null}
      </p>
    </Dialog>
  );
}

/** Sends the robot a command, and shows its success, or the reason of its failure. */
async function run(name: string, program: RobotProgram): Promise<void> {
  const result = await runCommand(name, program);
  if (result?.status === 'ok') showToast({ text: commandSentence({ id: 0, name, result }) });
}

/** Returns THE list of commands of the search. `showShortcuts` opens the list of keys. */
function searchCommands(showShortcuts: () => void): readonly SearchEntry[] {
  const own = searchText();
  const text = shellText();
  const themes: Readonly<Record<ThemeChoice, string>> = {
    system: text.themeSystem,
    light: text.themeLight,
    dark: text.themeDark,
  };
  const commands: readonly Omit<SearchEntry, 'kind'>[] = [
    { id: 'stop', label: stopText().stopNow, icon: OctagonX, target: stopRobot },
    ...(knownRole() === 'viewer'
      ? []
      : [
          {
            id: 'plant',
            label: own.addPlant,
            icon: Sprout,
            target: { to: '/map', search: { panel: 'plant' } },
          } as const,
          {
            id: 'photo',
            label: own.takePhoto,
            icon: Camera,
            target: () => void run(own.takePhoto, { kind: 'take_photo', args: {} }),
          },
          {
            id: 'home',
            label: own.goHome,
            icon: House,
            target: () => void run(own.goHome, { kind: 'home', args: { axis: 'all', speed: 100 } }),
          },
        ]),
    { id: 'shortcuts', label: own.shortcuts, icon: Keyboard, target: showShortcuts },
    ...(Object.keys(themes) as ThemeChoice[])
      .filter((theme) => theme !== getThemeChoice())
      .map((theme) => ({
        id: `theme ${theme}`,
        label: uiText().pair(text.theme, themes[theme]),
        icon: SunMoon,
        target: () => setThemeChoice(theme),
      })),
    ...languages
      .filter((language) => language !== getLanguage())
      .map((language) => ({
        id: `language ${language}`,
        label: uiText().pair(text.language, languageLabels[language]),
        icon: Languages,
        target: () => chooseLanguage(language),
      })),
    { id: 'sign-out', label: text.signOut, icon: LogOut, target: { to: '/sign-out' } },
  ];
  return commands.map((command) => ({ ...command, id: `command/${command.id}`, kind: own.command }));
}

/** The page that opens the records of a list. */
interface RecordPage<C extends CollectionName> {
  readonly collection: C;
  /** The page, whose icon they get. */
  readonly page: Entry['to'];
  readonly place: (record: RecordOf<C>) => Place;
  /** The place of the list itself, if it has no page in the navigation. */
  readonly list?: Place;
  /** Their name in the search; null leaves one out. */
  readonly label?: (record: RecordOf<C>) => string | null;
  /** The kind of a record, where its list does not name it. */
  readonly kind?: (record: RecordOf<C>) => string | undefined;
  readonly detail?: (record: RecordOf<C>) => string;
}

const things = <C extends CollectionName>(collection: C): RecordPage<C> => ({
  collection,
  page: '/things',
  place: ({ id }) => ({ to: '/things/$kind', params: { kind: collection }, search: { id } }),
  list: { to: '/things/$kind', params: { kind: collection } },
});

/** Returns the name of the record with this id; null if it was not loaded, or was deleted. */
function knownName(collection: CollectionName, id: number): string | null {
  const records = queryClient.getQueryData<readonly { readonly id: number }[]>(listQuery(collection).queryKey);
  const record = records?.find((each) => each.id === id);
  return record ? nameOf(record) : null;
}

const recordPage = <C extends CollectionName>(page: RecordPage<C>) => ({
  collection: page.collection,
  /** Returns the entries of the list for the search: the list itself, if it has a place of its own, and its records. */
  entriesOf(records: readonly RecordOf<C>[]): readonly SearchEntry[] {
    const shown = navigation().find(({ to }) => to === page.page);
    if (!shown) return [];
    const { icon, label: kind } = shown;
    const list = page.list
      ? [{ id: page.collection, label: listTitle(page.collection), kind, icon, target: page.list }]
      : [];
    const found = records.flatMap((record) => {
      const label = (page.label ?? nameOf)(record);
      if (label === null) return [];
      return {
        id: `${page.collection}/${record.id}`,
        label,
        kind: page.kind?.(record) ?? listTitle(page.collection, 'one'),
        detail: page.detail?.(record),
        icon,
        target: page.place(record),
      };
    });
    return [...list, ...found];
  },
});

/** THE list of records that the search finds by name, with their pages. */
const recordPages = [
  recordPage({
    collection: 'points',
    page: '/map',
    kind: ({ pointer_type }) => choiceLabel('pointer_type', pointer_type),
    place: ({ id }) => ({ to: '/map', search: { point: id } }),
    list: { to: '/places' },
    detail: ({ x, y }) => `(${Math.round(x)}, ${Math.round(y)})`,
  }),
  recordPage({
    collection: 'sequences',
    page: '/programs',
    place: ({ id }) => ({ to: '/programs/$id', params: { id: String(id) } }),
  }),
  recordPage({
    collection: 'regimens',
    page: '/regimens',
    place: ({ id }) => ({ to: '/regimens', search: { id } }),
  }),
  recordPage({
    collection: 'farm_events',
    page: '/schedule',
    place: ({ id }) => ({ to: '/schedule', search: { event: id } }),
    label: ({ executable_type, executable_id }) =>
      knownName(executable_type === 'Regimen' ? 'regimens' : 'sequences', executable_id),
  }),
  recordPage(things('tools')),
  recordPage(things('peripherals')),
  recordPage(things('sensors')),
  recordPage(things('pin_bindings')),
  recordPage(things('point_groups')),
  recordPage(things('curves')),
  recordPage(things('saved_gardens')),
  recordPage(things('webcam_feeds')),
  recordPage(things('farmware_installations')),
  recordPage(things('farmware_envs')),
] as const;
