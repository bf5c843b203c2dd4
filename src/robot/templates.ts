import type { Clock } from '../core/clock.ts';
import type { Machine } from './machine.ts';

/** A name in braces. Names are of ASCII, as on the robot. [rule R30] */
const hole = /\{\{\s*([\w.]+)\s*\}\}/g;

/** Writes a number as the robot does in texts: whole numbers and all below 0 without decimals, others with one. [rule R30] */
export function numberInText(value: number): string {
  const size = Math.abs(value);
  const whole = Math.floor(size);
  const part = size - whole;
  if (value < 0) return `-${whole + Math.floor(part + 0.5)}`;
  if (part === 0) return `${whole}`;
  const tenths = whole * 10 + Math.floor(part * 10 + 0.5);
  return `${Math.floor(tenths / 10)}.${tenths % 10}`;
}

/** Returns a text with the values of the names in it: positions, known pins and the time; other names become empty. [rule R30] */
export function filledIn(
  text: string,
  { machine, clock }: { readonly machine: Machine; readonly clock: Clock },
): string {
  return text.replaceAll(hole, (_all, name: string) => {
    if (name === 'CURRENT_TIME') return new Date(clock.now()).toISOString().replace('T', ' ').replace('Z', '000Z');
    if (name === 'x' || name === 'y' || name === 'z') return numberInText(machine.position[name]);
    const pin = name.startsWith('pin') ? machine.pins.get(name.slice('pin'.length)) : undefined;
    return pin ? numberInText(pin.value) : '';
  });
}
