/** Loopback hosts. */
const ownMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns an address of this server as it can be opened elsewhere: one of the machine that runs it becomes that under which the
 * browser reached it. `page`: the address of the page.
 */
export function shownAddress(address: string, page: string = location.href): string {
  const { hostname, origin } = new URL(page);
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return address;
  }
  return ownMachine.test(url.hostname) && !ownMachine.test(hostname) ? address.replace(url.origin, origin) : address;
}

/** Returns the address of a photo on the server of the page, whatever the server takes for its own. `size`: one of the smaller ones. */
export function photoAddress({ attachment_url }: { readonly attachment_url: string }, size?: 'x320'): string {
  const url = new URL(attachment_url);
  if (size !== undefined) url.searchParams.set('size', size);
  return url.pathname + url.search;
}
