/** THE list of views of the panel beside the steps when no step is open, in order. */
export const allViews = ['about', 'run', 'text', 'sharing'] as const;
export type View = (typeof allViews)[number];
