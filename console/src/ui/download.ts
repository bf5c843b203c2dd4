/** Makes the browser save a file. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

type Cell = string | number | boolean | null | undefined;

/** A table as CSV (RFC 4180): cells with commas, quotes and line breaks are quoted. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows
    .map((row) =>
      row
        .map((cell) => String(cell ?? ''))
        .map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
        .join(','),
    )
    .map((line) => `${line}\r\n`)
    .join('');
