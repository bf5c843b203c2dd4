type Names = readonly (readonly [name: string, pattern: RegExp])[];

/** Browsers, before those whose names they have in theirs, too. */
const browsers: Names = [
  ['Edge', /Edg(?:e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /(?:Firefox|FxiOS)\//],
  ['Chrome', /(?:Chrome|CriOS)\//],
  ['Safari', /Safari\//],
];

const systems: Names = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
];

const nameIn = (names: Names, userAgent: string): string | undefined =>
  names.find(([, pattern]) => pattern.test(userAgent))?.[0];

/** Returns what people call a program by its User-Agent header: `Firefox · Windows`; the header itself for others than browsers and robots. */
export function programName(userAgent: string): string {
  const robot = /^FarmbotOS\/(\S+)/i.exec(userAgent)?.[1];
  if (robot !== undefined) return `FarmBot OS ${robot}`;
  const browser = nameIn(browsers, userAgent);
  return browser === undefined ? userAgent : [browser, nameIn(systems, userAgent)].filter(Boolean).join(' · ');
}
