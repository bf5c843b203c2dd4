/** What becomes of what the account holds already. `empty`: it must hold nothing. `merge`: unique names and pins that are there are used as they are. `replace`: everything is deleted first. */
export const importModes = ['empty', 'merge', 'replace'] as const;
export type ImportMode = (typeof importModes)[number];
