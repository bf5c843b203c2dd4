import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Autocomplete, Input, Label, Menu, MenuItem, SearchField } from 'react-aria-components';
import { type CollectionName, listQuery, type RecordOf } from '../data/collections.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Settings } from '../ui/icons.tsx';
import { getLanguage } from '../ui/language.ts';
import { type Entry, useNavigation } from './navigation.ts';
import { recordPages } from './record-pages.ts';
import styles from './search.module.css';
import { searchCommands } from './search-commands.ts';
import { matchingEntries, type SearchEntry } from './search-entries.ts';
import { searchText } from './search-text.ts';

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
