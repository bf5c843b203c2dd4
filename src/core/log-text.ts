/** Returns a client's text for the log: one line, truncated to a number of characters, without control and formatting characters. */
export const logText = (text: string, maxLength = 80): string =>
  text.slice(0, maxLength).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?') + (text.length > maxLength ? '…' : '');
