import { isLocalUrl, isUnspecified } from '../core/ip-addresses.ts';
import { version } from '../core/version.ts';
import type { Settings } from '../settings/settings.ts';
import { hasBroker, robotPort } from '../settings/settings.ts';

/** The findings of a start. */
export interface StartedServer {
  /** The URL for robots; null: only the operator knows it. */
  readonly robotAddress: string | null;
  readonly port: number;
  /** No account was created yet. */
  readonly isNew: boolean;
  /** The code with which the first account becomes an administrator from anywhere; null: there was an account. */
  readonly firstAccountCode: string | null;
}

/** The URLs for a browser, this machine's first. */
function browserLines(settings: Settings, { robotAddress, port }: StartedServer): string[] {
  const { HOST, PUBLIC_URL } = settings;
  if (PUBLIC_URL !== null) return [PUBLIC_URL];
  if (!isUnspecified(HOST)) return [`http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`];
  const local = `http://localhost:${port}`;
  return robotAddress === null || isLocalUrl(robotAddress)
    ? [local]
    : [local, `${robotAddress} from other devices on your network`];
}

function robotLines(settings: Settings, { robotAddress }: StartedServer): string[] {
  const { BROKER_URL } = settings;
  if (!hasBroker(settings)) return ['no robot can connect, because MQTT_PORT is 0'];
  if (robotAddress === null)
    return ['the address of this machine, such as http://192.168.1.20:3000; set PUBLIC_URL to it'];
  const { setting, port } = robotPort(settings);
  const notes = [
    ...(isLocalUrl(robotAddress) ? ['only programs on this machine reach it; see HOST'] : []),
    ...(BROKER_URL === null && settings[setting] !== port
      ? [`robots always use port ${port} for messages, but ${setting} is ${settings[setting]}`]
      : []),
  ];
  return [robotAddress, ...notes];
}

/** Returns the text for a terminal when the server is ready: its addresses, and the places of data and mail. */
export function readyText(settings: Settings, server: StartedServer): string {
  const { DATA_DIR, DATABASE_URL, STORAGE_URL, SMTP_URL, SIGN_UP } = settings;
  const database =
    DATABASE_URL === null ? [DATA_DIR] : ['the PostgreSQL database of DATABASE_URL', `files in ${DATA_DIR}`];
  const photos = STORAGE_URL === null ? [] : [`photos in the bucket ${STORAGE_URL.bucket}`];
  const mail =
    SMTP_URL === null
      ? [`kept in ${DATA_DIR}/outbox, because SMTP_URL is not set`, 'its links are shown here']
      : ['sent by SMTP_URL'];
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Browser', browserLines(settings, server)],
    ['Robot', robotLines(settings, server)],
    ['Data', [...database, ...photos]],
    ['Mail', mail],
  ];
  const lines = sections.flatMap(([name, texts]) =>
    texts.map((text, index) => `  ${(index === 0 ? name : '').padEnd(9)}${text}`),
  );
  const first =
    SIGN_UP === 'open'
      ? 'Open the first address in a browser to create your account.'
      : 'Create an account with "potager user create EMAIL".';
  return [
    '',
    `Potager ${version} is running.`,
    '',
    ...lines,
    '',
    ...(server.isNew ? [first] : []),
    ...(server.firstAccountCode === null
      ? []
      : [
          `The first account administers the server. From outside your network it needs this code: ${server.firstAccountCode}`,
        ]),
    'Press Ctrl+C to stop the server.',
    '',
    '',
  ].join('\n');
}
