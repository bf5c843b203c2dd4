/** Characters of a client's text that the log shows. */
const longest = 80;

/** Text from a client for the log: one line, cut, without control and formatting characters. */
export const clientText = (text: string): string =>
  text.slice(0, longest).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?') + (text.length > longest ? '…' : '');
