/** Names of values that fields of records and arguments of programs have in common, in English and in French. */
type Table = Readonly<Record<string, readonly [en: string, fr: string]>>;

/** Signals of pins. */
export const signalWords = {
  0: ['Digital (on or off)', 'Numérique (marche ou arrêt)'],
  1: ['Analog', 'Analogique'],
} as const satisfies Table;

/** Kinds of points. The name of slots is longer where no program is around it. */
export const pointWords = {
  GenericPointer: ['Point', 'Point'],
  Plant: ['Plant', 'Plante'],
  Weed: ['Weed', 'Mauvaise herbe'],
} as const satisfies Table;

/** Types of the messages that programs write into the log. */
export const messageTypeWords = {
  error: ['Error', 'Erreur'],
  warn: ['Warning', 'Avertissement'],
  success: ['Success', 'Succès'],
  busy: ['Busy', 'Activité'],
  info: ['Information', 'Information'],
  fun: ['Fun', 'Amusement'],
  debug: ['Debugging', 'Débogage'],
} as const satisfies Table;
