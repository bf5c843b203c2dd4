import { expect, it } from 'vitest';
import { messagesIn, verbatim } from './message.ts';

const say = messagesIn({
  en: {
    started: (name: string) => `Started "${name}": ready!`,
    named: (names: readonly string[]) => `These: ${names.join('; ')}`,
    ready: 'Ready!',
  },
  fr: {
    started: (name) => `« ${name} » a commencé : prêt !`,
    named: (names) => `Ceux-ci : ${names.join(' ; ')}`,
    ready: 'Prêt !',
  },
});

it('writes the spaces of French in its own text, not in values', () => {
  const own = '«\u00a0A : b ; « c »\u00a0» a commencé\u00a0: prêt\u202f!';
  expect(say.started('A : b ; « c »').in('fr')).toBe(own);
  expect(say.named(['a : b', verbatim('c !'), say.ready]).in('fr')).toBe(
    'Ceux-ci\u00a0: a : b\u202f; c !\u202f; Prêt\u202f!',
  );
  expect(say.started('A : b').in('api')).toBe('Started "A : b": ready!');
});
