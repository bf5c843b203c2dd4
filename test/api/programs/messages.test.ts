import { expect, it } from 'vitest';
import { frenchSpaces } from '../../../src/core/french-spaces.ts';
import { languageHeader } from '../../../src/core/languages.ts';
import { suiteAccount, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

const node = (kind: string, args: object = {}) => ({ kind, args });
const tooLong = node('wait', { milliseconds: 'x' });
const empty = node('execute', { sequence_id: 0 });

describeEngines('messages about programs', (engine) => {
  const app = suiteApp(engine);
  const account = suiteAccount(app);

  /** Answers to clients, and to readers of English and of French. */
  async function answers(method: string, path: string, body?: unknown) {
    const found = [];
    for (const language of [undefined, 'en', 'fr']) {
      const headers: Record<string, string> = language === undefined ? {} : { [languageHeader]: language };
      found.push((await app.call(method, path, { token: account.token, body, headers })).json);
    }
    return found;
  }
  const create = async (path: string, body: object): Promise<number> =>
    (await app.call('POST', path, { token: account.token, body })).json.id;

  it('of a check are at their steps for people', async () => {
    const body = [node('take_photo'), tooLong, empty, { ...node('wait', { milliseconds: 1 }), body: [tooLong] }];
    const checks = await answers('POST', '/api/sequences/check', { body });
    expect(checks.map(({ problems }) => problems.map(({ message }: { message: string }) => message))).toEqual([
      [
        'Step 2: "milliseconds" of wait must be a whole number, not the string "x".',
        'Step 3: Please pick a sequence for execute.',
        'Step 4: wait is not allowed in the body of wait. The body of wait must be empty.',
      ],
      [
        '"Time" of Wait must be a whole number, not the string "x".',
        'Choose a program for “Run a program”.',
        'Wait is not allowed in the body of Wait. The body of Wait must be empty.',
      ],
      [
        '« Attendre » : « Durée » doit être un nombre entier, pas le texte « x ».',
        'Choisissez un programme pour « Exécuter un programme ».',
        '« Attendre » n’a pas sa place dans « Attendre ». « Attendre » doit rester vide.',
      ].map(frenchSpaces),
    ]);
  });

  it('of a program that is stored name the step', async () => {
    expect(await answers('POST', '/api/sequences', { name: 'Rest', body: [tooLong] })).toEqual([
      { body: 'Step 1: "milliseconds" of wait must be a whole number, not the string "x".' },
      { body: 'Step 1: "Time" of Wait must be a whole number, not the string "x".' },
      {
        body: frenchSpaces('Étape 1 : « Attendre » : « Durée » doit être un nombre entier, pas le texte « x ».'),
      },
    ]);
  });

  it('name the uses of a record in the words of the console', async () => {
    const sequence_id = await create('/api/sequences', { name: 'Rinse', body: [] });
    const body = [node('execute', { sequence_id })];
    for (const name of ['Sow: water', 'Weed']) await create('/api/sequences', { name, body });
    await create('/api/pin_bindings', { pin_num: 5, sequence_id, binding_type: 'standard' });
    await create('/api/farm_events', {
      ...{ start_time: '2037-11-28T08:00:00Z', repeat: 1, time_unit: 'never' },
      ...{ executable_type: 'Sequence', executable_id: sequence_id },
    });
    expect(await answers('DELETE', `/api/sequences/${sequence_id}`)).toEqual(
      [
        "Sequence is still in use by the farm event of 11/28/37 and the sequences 'Sow: water', 'Weed' and the pin binding of pin 5.",
        "This program is still in use by the scheduled event of 11/28/37 and the programs 'Sow: water', 'Weed' and the button on pin 5.",
        'Ce programme sert encore à : l’événement planifié du 28/11/37 et les programmes « Sow: water », « Weed » et le bouton de la broche 5.',
      ].map((sequence, index) => ({ sequence: index === 2 ? frenchSpaces(sequence) : sequence })),
    );
  });

  it('about the items of a regimen are at their positions', async () => {
    const body = { name: 'Week', color: 'red', regimen_items: [7] };
    expect(await answers('POST', '/api/regimens', body)).toEqual([
      { regimen_items: ['Each item must be an object.'] },
      { regimen_items: ['Each item must be an object.'] },
      { regimen_items: ['Chaque élément doit être un objet.'] },
    ]);
  });
});
