import { expect, it } from 'vitest';
import { frenchSpaces } from '../../../src/core/french-spaces.ts';
import { languageHeader } from '../../../src/core/languages.ts';
import type { Document } from '../../support/account-transfer.ts';
import { fixture, sendImport } from '../../support/account-transfer.ts';
import { suiteAccount, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

const wrong = { kind: 'wait', args: { milliseconds: 'x' } };

describeEngines('messages of an import', (engine) => {
  const server = suiteApp(engine);
  const account = suiteAccount(server);

  /** The answers to clients, and to readers of English and of French. */
  async function answers(document: Document, query: string) {
    const found = [];
    for (const language of [undefined, 'en', 'fr']) {
      const headers: Record<string, string> = language === undefined ? {} : { [languageHeader]: language };
      found.push((await sendImport(server, account, document, query, headers)).json);
    }
    return found;
  }
  const plain = (changes: object): Document => ({ ...fixture('plain'), ...changes });

  it('are in the report', async () => {
    const document = plain({
      moon: [],
      sequences: [{ id: 1, name: 'Rinse', args: {}, body: [wrong, wrong] }],
      farm_events: [],
      regimens: [],
      pin_bindings: [],
      point_groups: [],
      fbos_config: {},
    });
    const reports = await answers(document, '?check=true');
    const [key, step] = ['/moon', '/sequences/0/body/0/args/milliseconds'];
    expect(reports.map(({ left_out }) => left_out)).toEqual([
      [
        { path: key, message: 'This key is unknown.' },
        {
          path: step,
          message:
            'This sequence \'Rinse\' was omitted: Step 1: "milliseconds" of wait must be a whole number, not the string "x". There are 1 more problems in it.',
        },
      ],
      [
        { path: key, message: 'This key is unknown.' },
        {
          path: step,
          message:
            'This program \'Rinse\' was omitted: Step 1: "Time" of Wait must be a whole number, not the string "x". There are 1 more problems in it.',
        },
      ],
      [
        { path: key, message: 'Ce champ est inconnu.' },
        {
          path: step,
          message: frenchSpaces(
            'Laissé de côté (programme « Rinse ») : Étape 1 : « Attendre » : « Durée » doit être un nombre entier, pas le texte « x ». Il y a 1 autres problèmes.',
          ),
        },
      ],
    ]);
  });

  it('call fields and records as people do', async () => {
    const sensor = { id: 1, label: 'Soil', pin: 59, mode: 1, sensor_id: 7 };
    const slot = { id: 1, pointer_type: 'ToolSlot', x: 1, y: 2, z: 3, tool_id: 77, pullout_direction: 0 };
    const reports = await answers(plain({ points: [slot], sensors: [sensor], point_groups: [] }), '?check=true');
    expect(
      reports.map(({ changed }) => changed.find(({ path }: { path: string }) => path === '/points/0/tool_id')?.message),
    ).toEqual([
      'The document has no tool 77: Tool ID was cleared.',
      'The document has no tool 77: Tool was cleared.',
      frenchSpaces('Le fichier n’a pas cet élément : outil 77. « Outil » a été vidé.'),
    ]);
  });

  it('follow the same rules if the import fails', async () => {
    const document = plain({ tools: [{ id: 0 }, { id: 5, name: 'Hoe' }, { id: 6, name: 'Hoe' }] });
    expect(await answers(document, '?mode=merge')).toEqual([
      { '/tools/0': 'A record must have an id.', '/tools/2/name': 'There are two records with Name Hoe.' },
      { '/tools/0': 'A record must have an id.', '/tools/2/name': 'There are two records with Name Hoe.' },
      {
        '/tools/0': 'Un élément doit avoir un numéro.',
        '/tools/2/name': frenchSpaces('Deux éléments ont la même valeur : Nom Hoe.'),
      },
    ]);
  });
});
