import { expect, it } from 'vitest';
import { choiceWords } from '../../console/src/data/choice-words.ts';
import { en as programWords } from '../../console/src/programs/words-en.ts';
import { args, enums } from '../../src/programs/corpus-args.ts';
import { valueInWords } from '../../src/programs/node-words.ts';
import { resources } from '../../src/resources.ts';

/** Records that robots send and records of the vendor's app: the console has no fields for them. */
const unshown = new Set(['Telemetry', 'Log', 'AiFeedback', 'WizardStepResult', 'Feedback', 'Notification']);
const settings = /_configs$/;

/** The records of gardens whose fields are shown in forms and in the history. */
const shown = resources.filter(
  ({ name, options }) => !settings.test(name) && options.changeLogName !== null && !unshown.has(options.changeLogName),
);

it('every choice of these fields has a label', () => {
  const lacking = shown.flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, { kind, traits }]) => {
      const { enum: values } = kind.input as { readonly enum?: readonly (string | number)[] };
      const isOffered =
        traits.isShown && values !== undefined && !/^(texture|shape|[xyz]_origin|problem_tag)$/.test(name);
      return isOffered ? values.filter((value) => !choiceWords[`${name} ${value}`] && !choiceWords[value]) : [];
    }),
  );
  expect(lacking, 'name them in console/src/data/choice-words.ts').toEqual([]);
});

it('every argument of a step that takes several kinds of values has a question', () => {
  const several = Object.entries(args).filter(([, { takes }]) => takes.includes(' ') && takes !== 'integer float');
  expect(several.length).toBeGreaterThan(5);
  expect(several.map(([arg]) => arg).filter((arg) => !(arg in programWords.questions))).toEqual([]);
});

it('every choice of a step of a program has words', () => {
  const lacking = Object.entries(args).flatMap(([arg, { takes }]) =>
    takes.split(' ').flatMap((name) => {
      const values = (enums as Readonly<Record<string, string | readonly (string | number)[]>>)[name] ?? [];
      // Pins have numbers, and groups of axes are written as they are.
      const named = (Array.isArray(values) ? values : []).filter(
        (value) => !/^(pin\d+|[xyz,]{2,})$/.test(String(value)),
      );
      return named.filter(
        (value) => valueInWords('en', String(value)) === undefined && !choiceWords[`${arg} ${value}`],
      );
    }),
  );
  expect(lacking).toEqual([]);
});
