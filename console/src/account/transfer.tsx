import { useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { api, bodyOf, sendForFile } from '../data/api.ts';
import { attempt } from '../data/confirmation.ts';
import { labelIn, resourceOf } from '../data/field-label.ts';
import type { components } from '../data/generated/api.ts';
import { queryClient } from '../data/query-client.ts';
import { listTitle } from '../data/resource-names.ts';
import { descriptionQuery, useSchemas } from '../data/schemas.ts';
import { useGarden } from '../data/singles.ts';
import { Button } from '../ui/button.tsx';
import { saveFile } from '../ui/download.ts';
import { Select, TextField } from '../ui/fields.tsx';
import { Card, Notice } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { uiText } from '../ui/text.ts';
import { showToast } from '../ui/toasts.tsx';
import styles from './account.module.css';
import { partsText } from './parts-text.ts';

/** Export and import of the garden. */
export function Transfer() {
  const { role } = useGarden();
  return (
    <>
      {role === 'owner' ? <Export /> : <Notice>{partsText().onlyOwnersChange}</Notice>}
      {role === 'viewer' ? null : <Import />}
    </>
  );
}

function Export() {
  const text = partsText();
  const exportAs = (photos: boolean): Promise<boolean> =>
    attempt(async () => {
      const { data, response } = await api.POST('/api/export_data', {
        params: { query: photos ? { photos } : {} },
        body: {},
        parseAs: 'blob',
      });
      // Accepted: it comes by mail.
      if (response.status === 202 || !data) return showToast({ text: text.exportMailed });
      saveFile(data, photos ? 'potager-export.zip' : 'potager-export.json');
      showToast({ text: text.exported });
    });
  const exportTable = (): Promise<boolean> =>
    attempt(async () => {
      saveFile(await sendForFile('/api/points/table', 'text/csv'), 'points.csv');
      showToast({ text: text.exported });
    });
  return (
    <Card
      title={text.export}
      actions={
        <>
          <Button onPress={() => void exportAs(false)}>{text.exportDocument}</Button>
          <Button onPress={() => void exportAs(true)}>{text.exportArchive}</Button>
          <Button onPress={() => void exportTable()}>{text.exportTable}</Button>
        </>
      }
    >
      <p>{text.exportHint}</p>
    </Card>
  );
}

type Report = components['schemas']['ImportReport'];
type Mode = Report['mode'];

/** Encodes a text as the value of a header: UTF-8, with a character for each byte. */
const headerText = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));

/** Maximum number of notes shown of a kind. */
const maxNotes = 100;

/** The encodings of tables: recognized, or that of older programs. */
const encodings = ['utf', 'windows-1252'] as const;
type Encoding = (typeof encodings)[number];

const tableName = /\.(?:csv|tsv|txt)$/i;

/** A place in the imported document, in words. Suspends. */
const Place = ({ path }: { readonly path: string }) => <strong title={path}>{placeInWords(path, useSchemas())}</strong>;

/** Imports an export or a table of plants: shows the report first, then imports. */
function Import() {
  const text = partsText();
  const [file, setFile] = useState<File | null>(null);
  const [chosen, setMode] = useState<Mode>('empty');
  const [encoding, setEncoding] = useState<Encoding>('utf');
  const [password, setPassword] = useState('');
  const submission = useSubmission({ file: file?.name, chosen, encoding, password });
  const [report, setReport] = useState<Report | null>(null);
  const isTable = file !== null && tableName.test(file.name);
  const mode = isTable ? 'merge' : chosen;
  const run = (check: boolean): Promise<boolean> =>
    submission.run(async () => {
      if (!file) return;
      // The report names fields.
      await queryClient.ensureQueryData(descriptionQuery);
      // After a wrong password its field stays.
      if (check) setReport(null);
      const next = await bodyOf(
        api.POST('/api/import', {
          params: { query: { mode, ...(check && { check }) } },
          headers: {
            'content-type': isTable
              ? `text/csv${encoding === 'utf' ? '' : `; charset=${encoding}`}`
              : 'application/octet-stream',
            ...(mode === 'replace' && !check && { 'x-account-password': headerText(password) }),
          },
          // Described as JSON, but it may be an archive or a table, and is sent as it is.
          body: {},
          bodySerializer: () => file,
        }),
      );
      setReport(next);
      if (check) return;
      setPassword('');
      showToast({ text: text.imported });
      await queryClient.invalidateQueries();
    });
  const problems = Object.entries(submission.problems).filter(([path]) => path !== 'password');
  // If every part of an export is missing, one sentence replaces them.
  const isOther = ['/database_schema', '/device'].every((path) => path in submission.problems);
  return (
    <Card title={text.import}>
      <p>{text.importHint}</p>
      <div>
        <FileTrigger
          acceptedFileTypes={[
            'application/json',
            'application/zip',
            'text/csv',
            '.json',
            '.zip',
            '.csv',
            '.tsv',
            '.txt',
          ]}
          onSelect={(files) => {
            setFile(files?.[0] ?? null);
            setReport(null);
          }}
        >
          {/* The report is about the file and the choice that were sent. */}
          <Button isDisabled={submission.isPending}>{text.chooseFile}</Button>
        </FileTrigger>
        {file ? <p>{text.file(file.name)}</p> : null}
      </div>
      {isTable ? (
        <>
          <p>{text.tableHint}</p>
          <Select
            label={text.encoding}
            value={encoding}
            choices={encodings.map((value) => ({ value, label: text.encodings[value] }))}
            onChange={(next) => {
              setEncoding(next);
              setReport(null);
            }}
            isDisabled={submission.isPending}
          />
        </>
      ) : (
        <Select
          label={text.mode}
          value={mode}
          choices={(Object.keys(text.modes) as Mode[]).map((value) => ({ value, label: text.modes[value] }))}
          onChange={(next) => {
            setMode(next);
            setReport(null);
          }}
          isDisabled={submission.isPending}
        />
      )}
      <div>
        <Button tone="primary" isDisabled={!file || submission.isPending} onPress={() => void run(true)}>
          {text.check}
        </Button>
      </div>
      {problems.length > 0 ? (
        <Notice tone="danger">
          <p>{text.cannotImport}</p>
          {isOther ? (
            <p>{text.noExport}</p>
          ) : (
            <ul className={styles.notes}>
              {problems.slice(0, maxNotes).map(([path, message]) => (
                <li key={path}>
                  {path === 'error' ? null : <Place path={path} />} {message}
                </li>
              ))}
            </ul>
          )}
        </Notice>
      ) : null}
      {report ? <ReportView report={report} /> : null}
      {report?.check && report.ok ? (
        <>
          {mode === 'replace' ? (
            <TextField
              label={text.currentPassword}
              type="password"
              autoComplete="current-password"
              value={password}
              onChange={setPassword}
              problem={submission.problems.password}
              isRequired
            />
          ) : null}
          <div>
            <Button
              tone={mode === 'replace' ? 'danger' : 'primary'}
              isDisabled={submission.isPending || (mode === 'replace' && password === '')}
              onPress={() => void run(false)}
            >
              {text.importNow}
            </Button>
          </div>
        </>
      ) : null}
    </Card>
  );
}

const counts = (byName: Readonly<Record<string, number>>): string =>
  Object.entries(byName)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => uiText().pair(partTitle(name), String(count)))
    .join(', ');

function ReportView({ report }: { readonly report: Report }) {
  const text = partsText();
  const [tone, sentence, taken] = !report.ok
    ? (['danger', text.cannotImport, text.contained] as const)
    : report.check
      ? (['info', text.wouldImport, text.wouldTake] as const)
      : (['success', text.imported, text.taken] as const);
  const lists = [
    [text.problems, report.problems],
    [text.leftOut, report.left_out],
    [text.changedNotes, report.changed],
  ] as const;
  return (
    <section className={styles.group} aria-label={text.report}>
      <h3>{text.report}</h3>
      <Notice tone={tone}>{sentence}</Notice>
      {counts(report.taken) ? (
        <p>
          <strong>{taken}</strong> · {counts(report.taken)}
        </p>
      ) : null}
      {counts(report.reused) ? (
        <p>
          <strong>{text.reused}</strong> · {counts(report.reused)}
        </p>
      ) : null}
      {lists.map(([title, notes]) =>
        notes.length === 0 ? null : (
          <div key={title}>
            <h4>{title}</h4>
            <ul className={styles.notes}>
              {notes.slice(0, maxNotes).map(({ path, message }) => (
                <li key={`${path} ${message}`}>
                  <Place path={path} /> {message}
                </li>
              ))}
            </ul>
            {notes.length > maxNotes ? <p>{text.unlisted(notes.length - maxNotes)}</p> : null}
          </div>
        ),
      )}
      {report.unlisted > 0 ? <p>{text.unlisted(report.unlisted)}</p> : null}
      {report.back_up ? <p>{text.backUp(report.back_up)}</p> : null}
    </section>
  );
}

/** Returns the name of a key's content in an export: `Tools` of `tools`, `Robot settings` of `fbos_config`. */
const partTitle = (key: string, form: 'one' | 'many' = 'many'): string =>
  partsText().documentParts[key] ??
  // An object is named like its resource, a list like the list.
  listTitle(/s$/.test(key) ? key : resourceOf(key), form);

/** Returns a JSON pointer into an export in words: `Plant or point 3 · Tool` of `/points/2/tool_id`, `Row 3 · x` of `/rows/3/x` in a table. */
function placeInWords(pointer: string, schemas: ReturnType<typeof useSchemas>): string {
  const [key, index, ...fields] = pointer.split('/').slice(1);
  if (key === undefined) return '';
  if (key === 'rows' && index !== undefined)
    return [partsText().row(index), ...fields.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))].join(
      ' · ',
    );
  const isNumber = index !== undefined && /^\d+$/.test(index);
  const title = isNumber ? `${partTitle(key, 'one')} ${Number(index) + 1}` : partTitle(key);
  // All records of a list are `*`.
  const field = (isNumber || index === '*' || index === undefined ? fields : [index, ...fields]).map((name) =>
    labelIn(schemas, resourceOf(key), name),
  );
  return [title, ...field].join(' · ');
}
