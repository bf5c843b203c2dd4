/** Characters of an error that are kept. */
const longest = 500;
/** Characters that are looked at: messages may quote whole pages. */
const read = 4000;

/** Mail addresses, and what else looks like one. */
const address = /(?:"[^"\n]{0,64}"|[^\s<>()[\]{},;:"'`=]+)(?:@|%40)[^\s<>()[\]{},;:"'`]+/gi;

/** What an error says, without anybody's address: it stays where the account may be gone. */
export function redactedMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(0, read).replace(address, '…@…').slice(0, longest);
}
