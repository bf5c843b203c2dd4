import { expect, it } from 'vitest';
import { recordNoun } from './resource-names.ts';

it('calls records as clients and as people do', () => {
  const written = (singular: string, ...rest: [string?, ('one' | 'many')?]) =>
    (['api', 'en', 'fr'] as const).map((reader) => recordNoun(singular, ...rest).in(reader));
  expect(written('Sequence')).toEqual(['Sequence', 'Program', 'Programme']);
  expect(written('Farm event', 'farm event')).toEqual([
    'farm event',
    'event of the schedule',
    'événement du calendrier',
  ]);
  expect(written('Webcam feed', 'webcam feeds', 'many')).toEqual(['webcam feeds', 'webcams', 'webcams']);
  for (const name of ['Change', 'constructor']) expect(written(name)).toEqual([name, name, name]);
});
