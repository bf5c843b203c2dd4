/** Puts text on the clipboard, also where the page was not opened over TLS. Returns whether it did; only within a click. */
export function copyText(text: string): boolean {
  const put = (event: ClipboardEvent): void => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.clipboardData?.setData('text/plain', text);
  };
  document.addEventListener('copy', put, { capture: true });
  try {
    // The other way needs a secure context, which a server in the home network has not.
    return document.execCommand('copy');
  } finally {
    document.removeEventListener('copy', put, { capture: true });
  }
}
