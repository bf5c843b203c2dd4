import type { Language } from '../../../src/core/languages.ts';
import { logInWords } from '../data/log-words.ts';
import type { LogEntry } from './log-filter.ts';

/** Logs by the received objects: a list is read again and again, and most of it stays. */
const known: Readonly<Record<Language, WeakMap<LogEntry, LogEntry>>> = { en: new WeakMap(), fr: new WeakMap() };

function inWords(log: LogEntry, language: Language): LogEntry {
  const shown = known[language].get(log) ?? { ...log, message: logInWords(log.message, language) };
  known[language].set(log, shown);
  return shown;
}

/** Returns logs as they are shown. */
export const logsInWords = (logs: readonly LogEntry[], language: Language): readonly LogEntry[] =>
  logs.map((log) => inWords(log, language));
