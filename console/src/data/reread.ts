import type { QueryClient } from '@tanstack/react-query';

/** Reads what has changed again: now if it is shown, else when it is shown next. A response on its way is older, and does not count. */
export function reread(client: QueryClient, queryKey: readonly unknown[]): void {
  void client.cancelQueries({ queryKey });
  void client.invalidateQueries({ queryKey });
}
