/** Returns the page as the server has it now; null while it cannot be reached. */
const currentPage = (): Promise<string | null> =>
  fetch(import.meta.env.BASE_URL, { cache: 'no-store', headers: { accept: 'text/html' } }).then(
    (response) => (response.ok ? response.text() : null),
    () => null,
  );

/** Reloads the page, unless that would replace it by the browser's page about a missing connection. */
export async function reload(): Promise<void> {
  if ((await currentPage()) !== null) location.reload();
}

/** Reloads the page if the server has been updated: the files of this one are not there any more. */
export async function reloadAfterUpdate(): Promise<void> {
  const own = [...document.querySelectorAll('script[type=module][src]')].map((each) => each.getAttribute('src'));
  const current = await currentPage();
  if (current !== null && own.some((src) => !current.includes(`"${src}"`))) location.reload();
}
