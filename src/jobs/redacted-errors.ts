/** Characters of a message. */
const maxLength = 500;
/** Characters that are searched for addresses: messages may quote whole pages. */
const maxSearchLength = 4000;

/** E-mail addresses and similar text. */
const address = /(?:"[^"\n]{0,64}"|[^\s<>()[\]{},;:"'`=]+)(?:@|%40)[^\s<>()[\]{},;:"'`]+/gi;

/** Returns the message of an error without e-mail addresses, since it may be stored longer than the account. */
export function redactedMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(0, maxSearchLength).replace(address, '…@…').slice(0, maxLength);
}

/** Returns the cause of an error of the database, whose own message is for clients. */
export const causeOf = (error: unknown): unknown => (error instanceof Error && error.cause) || error;
