import { placeName } from './parameters.ts';
import { dataText } from './text.ts';

/** The display name of a variable. */
export const variableName = (label: string): string => (label === placeName ? dataText().place : label);
