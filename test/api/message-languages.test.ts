import { expect, it } from 'vitest';
import { languageHeader } from '../../src/core/languages.ts';
import { suiteAccount, suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';

/** What a failure says to clients, to people who read English, and to those who read French. */
type Answers = readonly [status: number, api: unknown, en: unknown, fr: unknown];

describeEngines('messages', (engine) => {
  const app = suiteApp(engine, { RATE_LIMITS: 'on' });
  const account = suiteAccount(app);

  const answer = async (language: string | undefined, request: string, body?: unknown, from?: string) => {
    const [method = '', path = ''] = request.split(' ');
    const { token } = account;
    const headers: Record<string, string> = language === undefined ? {} : { [languageHeader]: language };
    const { status, json, text } = await app.call(method, path, { token, body, headers, ...(from && { from }) });
    return [status, json ?? text];
  };

  async function expectAnswers(request: string, body: unknown, [status, api, en, fr]: Answers): Promise<void> {
    for (const language of [undefined, '', 'de', 'french', 'constructor'])
      expect(await answer(language, request, body)).toEqual([status, api]);
    expect(await answer('en', request, body)).toEqual([status, en]);
    expect(await answer('fr', request, body)).toEqual([status, fr]);
  }

  it('about fields name them by their labels', () =>
    expectAnswers('POST /api/peripherals', { pin: 'x', mode: 0 }, [
      422,
      { label: 'Label is required.', pin: 'Pin must be a whole number.' },
      { label: 'Label is required.', pin: 'Pin must be a whole number.' },
      {
        label: '«\u00a0Label\u00a0» est obligatoire.',
        pin: '«\u00a0Pin\u00a0» doit être un nombre entier.',
      },
    ]));

  it('of a refused record are at its fields for people', () =>
    expectAnswers('POST /api/points', { pointer_type: 'GenericPointer', x: 1e300, y: -1e300 }, [
      422,
      { error: 'X is out of range. Y is out of range.' },
      { x: 'X is out of range.', y: 'Y is out of range.' },
      { x: '«\u00a0X\u00a0» est hors limites.', y: '«\u00a0Y\u00a0» est hors limites.' },
    ]));

  it('about what is not there', () =>
    expectAnswers('GET /api/tools/999999', undefined, [
      404,
      { error: 'Tool not found.' },
      { error: 'Tool not found.' },
      { error: 'Introuvable\u00a0: Tool.' },
    ]));

  it('of a batch say it without the number of the part', () =>
    expectAnswers(
      'POST /api/batch',
      [{ method: 'GET', path: '/api/tools/999999' }],
      [
        404,
        { error: 'Part 1 (GET /api/tools/999999): Tool not found.' },
        { error: 'Tool not found.' },
        { error: 'Introuvable\u00a0: Tool.' },
      ],
    ));
});
