import { expect, it } from 'vitest';
import { checkDescriptors, descriptorLimit, descriptorWarning } from './descriptor-limit.ts';

const limits = (soft: string): string =>
  [
    'Limit                     Soft Limit           Hard Limit           Units     ',
    'Max processes             96365                96365                processes ',
    `Max open files            ${soft.padEnd(20)} 524288               files     `,
    'Max locked memory         8388608              8388608              bytes     ',
  ].join('\n');

it('reads the soft limit', () => {
  expect(descriptorLimit(limits('1024'))).toBe(1024);
  expect(descriptorLimit(limits('unlimited'))).toBe(null);
  expect(descriptorLimit('')).toBe(null);
});

it('warns below 8,192, with the remedy', () => {
  expect(descriptorWarning(1024)).toBe(
    'At most 924 robots and browsers can be connected, because this process may open 1024 files. For more, set LimitNOFILE=524288 in the systemd unit, or run "ulimit -n 524288" before the start.',
  );
  expect(descriptorWarning(8_191)).toMatch(/^At most 8091 robots/);
  expect(descriptorWarning(8_192)).toBe(null);
  expect(descriptorWarning(null)).toBe(null);
});

it('is a note of the doctor where it is low', () => {
  const name = 'open files';
  expect(checkDescriptors(1024)).toEqual([{ name, ok: true, isWarning: true, message: descriptorWarning(1024) }]);
  expect(checkDescriptors(524_288)).toEqual([{ name, ok: true, message: 'This process may open 524288 files.' }]);
  expect(checkDescriptors(null)).toEqual([]);
});
