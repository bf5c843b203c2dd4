/** Maximum length of a client's text in the log, in characters. */
const maxLength = 80;

/** Returns a client's text for the log: one line, truncated, without control and formatting characters. */
export const logText = (text: string): string =>
  text.slice(0, maxLength).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?') + (text.length > maxLength ? '…' : '');
