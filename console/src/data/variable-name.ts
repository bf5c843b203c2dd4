import { placeName } from './parameters.ts';
import { dataText } from './text.ts';

/** The name of a variable as people read it. */
export const variableName = (label: string): string => (label === placeName ? dataText().place : label);
