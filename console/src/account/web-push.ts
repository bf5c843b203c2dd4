/** Why this browser cannot get pushes; null: it can. */
export type PushObstacle = 'insecure' | 'unsupported' | 'blocked';

/** Returns why this browser cannot get pushes, null if it can. */
export function pushObstacle(): PushObstacle | null {
  if (!isSecureContext) return 'insecure';
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window)) return 'unsupported';
  return Notification.permission === 'denied' ? 'blocked' : null;
}

/** The subscription of a browser, as the API takes it. */
export interface PushSubscriptionData {
  readonly address: string;
  readonly push_keys: { readonly p256dh: string; readonly auth: string };
}

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));

/** Subscribes this browser to pushes of the server with this key, after asking the user; null if the user declines. */
export async function subscribeToPushes(serverKey: string): Promise<PushSubscriptionData | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null;
  const base = import.meta.env.BASE_URL;
  await navigator.serviceWorker.register(`${base}push-worker.js`, { scope: base });
  const { pushManager } = await navigator.serviceWorker.ready;
  const applicationServerKey = bytesOf(serverKey);
  const before = await pushManager.getSubscription();
  // With the server's present key, it serves rules of other gardens, too. With an earlier one, it would get nothing.
  if (before && String(new Uint8Array(before.options.applicationServerKey ?? [])) !== String(applicationServerKey))
    await before.unsubscribe();
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { endpoint, keys } = subscription.toJSON();
  if (!endpoint || !keys?.p256dh || !keys.auth) throw new Error('the subscription is incomplete');
  return { address: endpoint, push_keys: { p256dh: keys.p256dh, auth: keys.auth } };
}
