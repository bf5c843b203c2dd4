import Bowser from 'bowser';

/** The client of a session. */
export interface Client {
  /** The browser, the robot's software, or a program with its version: `Firefox`, `FarmBot OS 15.4.6`, `curl 8.5.0`. */
  readonly name: string;
  /** The operating system of a browser; undefined where it is not known. */
  readonly system?: string;
  /** Whether it is the virtual robot of a server. */
  readonly isVirtual?: boolean;
}

const robot = /\bfarmbotos(?:\/(\S+))?/i;
/** The first product of a User-Agent that does not begin like a browser's. */
const product = /^([^\s/()]+)(?:\/([\w.-]+))?/;

/** Reads the name of a client from its User-Agent header; null if it names none. */
export function clientOf(userAgent: string): Client | null {
  const [isRobot, version] = robot.exec(userAgent) ?? [];
  if (isRobot !== undefined)
    return { name: ['FarmBot OS', version].filter(Boolean).join(' '), isVirtual: userAgent.includes('(virtual)') };
  if (/^(Mozilla|Opera)\//.test(userAgent)) {
    const { browser, os } = Bowser.parse(userAgent);
    return browser.name ? { name: browser.name, ...(os.name ? { system: os.name } : {}) } : null;
  }
  const [, name, number] = product.exec(userAgent) ?? [];
  return name === undefined ? null : { name: [name, number].filter(Boolean).join(' ') };
}
