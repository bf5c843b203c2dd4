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

/** The key under which the tab notes when it was last reloaded after an update. */
const reloadKey = 'reloaded-at';
/** How long it is not reloaded again, in ms: while processes of a server are updated in turn, answers come from both versions. */
const pause = 60_000;

/** Reloads the page if the server has been updated: the files of this one are not there any more. At most once a minute. */
export async function reloadAfterUpdate(): Promise<void> {
  const own = [...document.querySelectorAll('script[type=module][src]')].map((each) => each.getAttribute('src'));
  const current = await currentPage();
  const age = Date.now() - Number(sessionStorage.getItem(reloadKey) ?? 0);
  if (current === null || !own.some((src) => !current.includes(`"${src}"`)) || (age >= 0 && age < pause)) return;
  sessionStorage.setItem(reloadKey, String(Date.now()));
  location.reload();
}
