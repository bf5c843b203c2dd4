import type uPlot from 'uplot';

/** The values that the axis of a unit covers: that of percent never exceeds 100; others follow the values. */
export const scaleOf = (unit: string): { readonly range?: uPlot.Range.MinMax } =>
  unit.trim() === '%' ? { range: [0, 100] } : {};
