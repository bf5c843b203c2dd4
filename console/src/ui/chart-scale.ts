import type uPlot from 'uplot';

/** Returns the range of the axis of a unit: 0 to 100 for percent; otherwise it follows the data. */
export const scaleOf = (unit: string): { readonly range?: uPlot.Range.MinMax } =>
  unit.trim() === '%' ? { range: [0, 100] } : {};
