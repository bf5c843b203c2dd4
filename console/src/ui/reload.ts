/** Reloads the page, unless that would replace it by the browser's page about a missing connection. */
export async function reload(): Promise<void> {
  const isReachable = await fetch(import.meta.env.BASE_URL, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (isReachable) location.reload();
}
