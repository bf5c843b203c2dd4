import { expect, it } from 'vitest';
import { languageHeader } from '../../src/core/languages.ts';
import { password, suiteAccount, suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';

/** The message of a failure to clients, and to readers of English and of French. */
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
      { label: 'Name is required.', pin: 'Pin must be a whole number.' },
      {
        label: '«\u00a0Nom\u00a0» est obligatoire.',
        pin: '«\u00a0Broche\u00a0» doit être un nombre entier.',
      },
    ]));

  it('of a refused record are at its fields for people', () =>
    expectAnswers('POST /api/points', { pointer_type: 'GenericPointer', x: 1e300, y: -1e300 }, [
      422,
      {
        error:
          'X must be from -9007199254740991 to 9007199254740991. Y must be from -9007199254740991 to 9007199254740991.',
      },
      {
        x: 'x (mm) must be from -9007199254740991 to 9007199254740991.',
        y: 'y (mm) must be from -9007199254740991 to 9007199254740991.',
      },
      {
        x: '«\u00a0x (mm)\u00a0» doit être compris entre -9007199254740991 et 9007199254740991.',
        y: '«\u00a0y (mm)\u00a0» doit être compris entre -9007199254740991 et 9007199254740991.',
      },
    ]));

  it('of one of several records are at its fields for people, too', async () => {
    const api = { error: 'X must be from -9007199254740991 to 9007199254740991.' };
    const en = { x: 'x (mm) must be from -9007199254740991 to 9007199254740991.' };
    const fr = { x: '«\u00a0x (mm)\u00a0» doit être compris entre -9007199254740991 et 9007199254740991.' };
    const far = { pointer_type: 'GenericPointer', x: 1e300, y: 0 };
    const body = { points: [{ ...far, x: 1 }, far] };
    await expectAnswers('POST /api/points/bulk', body, [422, { 2: api }, { 2: en }, { 2: fr }]);
    const part = { method: 'POST', path: '/api/points', body: far };
    const error = `Part 1 (POST /api/points): ${api.error}`;
    await expectAnswers('POST /api/batch', [part], [422, { error }, { 1: en }, { 1: fr }]);
  });

  it('about a value that is taken name its field', async () => {
    const sensor = { label: 'Soil', pin: 59, mode: 1 };
    await app.call('POST', '/api/sensors', { token: account.token, body: sensor });
    await expectAnswers('POST /api/sensors', sensor, [
      422,
      { error: 'This pin is already taken.' },
      { pin: 'Pin is already taken.' },
      { pin: '«\u00a0Broche\u00a0»\u00a0: cette valeur est déjà prise.' },
    ]);
  });

  it('call records as people do', async () => {
    await expectAnswers('GET /api/sequences/99', undefined, [
      404,
      { error: 'Sequence not found.' },
      { error: 'Program not found.' },
      { error: 'Introuvable\u00a0: Programme.' },
    ]);
    await expectAnswers('GET /api/webcam_feeds/99', undefined, [
      404,
      { error: 'Webcam feed not found.' },
      { error: 'Webcam not found.' },
      { error: 'Introuvable\u00a0: Webcam.' },
    ]);
  });

  it('ask for the password at its field', async () => {
    const body = { gardens: [], password: 'wrong password' };
    await expectAnswers('DELETE /api/users', body, [
      422,
      { password: 'Password is wrong.' },
      { password: 'Password is wrong.' },
      { password: 'Le mot de passe est faux.' },
    ]);
    await expectAnswers('PATCH /api/users', { password, new_password: 'short', new_password_confirmation: 'short' }, [
      422,
      { password: 'Password is too short: it needs at least 8 characters.' },
      { new_password: 'Password is too short: it needs at least 8 characters.' },
      { new_password: '«\u00a0Mot de passe\u00a0» doit avoir au moins 8 caractères.' },
    ]);
  });

  it('in text are in the language, too', async () => {
    const send = (language?: string) =>
      answer(language, 'POST /api/password_resets', { email: 'a@b.example' }, '203.0.113.9');
    let last = await send();
    for (let count = 0; count < 50 && last[0] !== 429; count++) last = await send();
    expect(last).toEqual([429, 'Too many requests. Please wait a few minutes and try again.\n']);
    expect(await send('fr')).toEqual([429, 'Trop de requêtes. Attendez quelques minutes et réessayez.\n']);
  });

  it('may be asked for from other origins', async () => {
    const headers = { origin: 'https://a.example', 'access-control-request-headers': languageHeader };
    const { headers: allowed } = await app.call('OPTIONS', '/api/tools', { headers });
    expect(allowed['access-control-allow-headers']).toBe(languageHeader);
  });

  it('about missing records', () =>
    expectAnswers('GET /api/tools/999999', undefined, [
      404,
      { error: 'Tool not found.' },
      { error: 'Tool not found.' },
      { error: 'Introuvable\u00a0: Outil.' },
    ]));

  it('of a batch say it without the number of the part', () =>
    expectAnswers(
      'POST /api/batch',
      [{ method: 'GET', path: '/api/tools/999999' }],
      [
        404,
        { error: 'Part 1 (GET /api/tools/999999): Tool not found.' },
        { error: 'Tool not found.' },
        { error: 'Introuvable\u00a0: Outil.' },
      ],
    ));
});
