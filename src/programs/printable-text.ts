/** Maximum length of a client's text in a message, in characters. */
const maxQuotedLength = 60;

/** Returns a client's text for a message: truncated, without control and formatting characters. */
export function printableText(text: string): string {
  const cut = text.slice(0, maxQuotedLength).toWellFormed();
  const plain = cut.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]+/gu, ' ').trim();
  return text.length > maxQuotedLength ? `${plain}…` : plain;
}
