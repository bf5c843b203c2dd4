import { afterEach, beforeEach, expect, it } from 'vitest';
import { uniqueEmail } from '../support/accounts.ts';
import { password, startApp, type TestApp, type TestResponse } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';
import { MailServer } from '../support/mail-server.ts';

/** No-break spaces before French punctuation. */
const narrow = '\u202f';
const wide = '\u00a0';

describeEngines('the language of mails', (engine) => {
  const clock = { time: 0, now: () => clock.time };
  let mailServer: MailServer;
  let app: TestApp;

  beforeEach(async () => {
    clock.time = Date.UTC(2026, 3, 1, 6, 32);
    mailServer = new MailServer();
    const SMTP_URL = await mailServer.listen();
    app = await startApp(
      engine,
      { SMTP_URL, EMAIL_VERIFICATION: 'required', PUBLIC_URL: 'https://jardin.example' },
      clock,
    );
  });
  afterEach(async () => {
    await app.close();
    await mailServer.close();
  });

  const send = async (method: string, path: string, page: string | null, body: object, token?: string) => {
    const headers: Record<string, string> = page === null ? {} : { 'accept-language': page };
    // From the internet: the account does not become an administrator.
    const response = await app.call(method, path, { body, headers, token, from: '203.0.113.7' });
    expect(response.status, response.text).toBeLessThan(300);
    return response;
  };
  /** Runs the jobs, and returns the mails that they sent. */
  async function newMails() {
    const before = mailServer.received.length;
    await app.app.runJobs();
    return mailServer.received.slice(before).map(({ to, mail }) => {
      const { subject = '', text = '', html = '', headers } = mail;
      const header = headers.find(({ key }) => key === 'content-language')?.value;
      return { to: to[0] ?? '', subject, text, html, header };
    });
  }
  const subjects = async () => (await newMails()).map(({ to, subject }) => [to, subject]);

  const signUp = (email: string, page: string | null, fields: object = {}): Promise<TestResponse> =>
    send('POST', '/api/users', page, {
      name: 'Ada',
      email,
      password,
      password_confirmation: password,
      agree_to_terms: true,
      ...fields,
    });
  async function confirm(text: string): Promise<void> {
    const { pathname } = new URL(/http\S+/.exec(text)?.[0] ?? '');
    expect((await app.call('GET', pathname)).status).toBe(200);
  }
  const signIn = async (email: string): Promise<string> =>
    (await app.call('POST', '/api/tokens', { body: { user: { email, password } } })).json.token.encoded;

  /** Creates an account in French from an English page. */
  async function frenchAccount(): Promise<{ readonly email: string; readonly token: string }> {
    const email = uniqueEmail('ada');
    await signUp(email, 'en', { language: 'French' });
    await confirm((await newMails())[0]?.text ?? '');
    return { email, token: await signIn(email) };
  }

  it('is the account’s, in text and HTML', async () => {
    const email = uniqueEmail('ada');
    await signUp(email, 'en', { language: 'French' });
    const [welcome, ...others] = await newMails();
    expect(others).toEqual([]);
    expect([welcome?.to, welcome?.subject, welcome?.header]).toEqual([email, 'Bienvenue dans votre jardin', 'fr']);
    const { text = '', html = '' } = welcome ?? {};
    const [link = ''] = /http\S+/.exec(text) ?? [];
    expect(text.trim().split('\n\n')).toEqual([
      'Bonjour Ada,',
      'Un compte pour un robot de jardin a été créé avec cette adresse e-mail.',
      'Ouvrez ce lien pour confirmer l’adresse. Vous pourrez ensuite vous connecter. Les comptes qui ne sont pas confirmés en 7 jours sont supprimés.',
      link,
      `Si vous n’avez pas créé de compte, ignorez ce message${wide}: sans confirmation, le compte ne peut pas être utilisé.`,
    ]);
    expect(html).toContain('<html lang="fr">');
    expect(html).toContain('<title>Bienvenue dans votre jardin</title>');
    expect(html).toContain('>Confirmer mon adresse</a>');

    await confirm(text);
    const token = await signIn(email);
    await send('POST', '/api/password_resets', 'en', { email });
    await send('POST', '/api/export_data', 'en', {}, token);
    expect((await subjects()).sort()).toEqual([
      [email, 'L’export des données de votre compte'],
      [email, 'Réinitialisation de votre mot de passe'],
    ]);
    const moved = uniqueEmail('bea');
    await send('PATCH', '/api/users', 'en', { email: moved, password }, token);
    expect((await subjects()).sort((a, b) => String(a[1]).localeCompare(String(b[1])))).toEqual([
      [moved, 'Confirmez votre nouvelle adresse e-mail'],
      [email, 'Votre adresse e-mail va changer'],
    ]);

    await send('PATCH', '/api/users', 'fr', { language: 'English' }, token);
    await send('POST', '/api/password_resets', 'fr', { email });
    const [reset] = await newMails();
    expect([reset?.subject, reset?.header]).toEqual(['Password reset instructions', 'en']);
    expect(reset?.html).toContain('<html lang="en">');
  });

  it('is the page’s for an account that never chose one, else English', async () => {
    const email = uniqueEmail('ada');
    await signUp(email, 'fr-CH, fr;q=0.9, en;q=0.8');
    const [welcome] = await newMails();
    expect(welcome?.subject).toBe('Bienvenue dans votre jardin');
    await send('POST', '/api/users/resend_verification', 'de, en;q=0.5', { email });
    expect(await subjects()).toEqual([[email, 'Welcome to your garden']]);
    await send('POST', '/api/verification_mails', 'fr', { email });
    expect(await subjects()).toEqual([[email, 'Bienvenue dans votre jardin']]);
    await confirm(welcome?.text ?? '');
    const token = await signIn(email);
    // The reply has the default that clients know.
    expect((await app.call('GET', '/api/users', { token })).json).toMatchObject([{ language: 'English' }]);
    await send('POST', '/api/password_resets', 'de', { email });
    expect(await subjects()).toEqual([[email, 'Password reset instructions']]);
    await send('PATCH', '/api/users', null, { language: 'Suomi' }, token);
    await send('POST', '/api/password_resets', 'fr', { email });
    expect(await subjects()).toEqual([[email, 'Réinitialisation de votre mot de passe']]);
  });

  it('of an invitation is the language of the page on which it is created, unless the invited person has an account', async () => {
    const ada = await frenchAccount();
    const cleo = await frenchAccount();
    await send('PATCH', '/api/device', null, { name: 'La serre' }, ada.token);
    const bob = uniqueEmail('bob');
    await send('POST', '/api/invitations', 'fr', { email: bob, role: 'gardener' }, ada.token);
    await send('POST', '/api/invitations', 'en', { email: cleo.email, role: 'viewer' }, ada.token);
    const mails = await newMails();
    const toBob = mails.find(({ to }) => to === bob);
    expect([toBob?.subject, toBob?.header]).toEqual(['Invitation dans un jardin', 'fr']);
    expect(toBob?.text).toContain(`Ada vous invite dans le jardin «${wide}La serre${wide}» comme jardinier.`);
    const toCleo = mails.find(({ to }) => to === cleo.email);
    expect(toCleo?.text).toContain(`Ada vous invite dans le jardin «${wide}La serre${wide}» comme lecteur.`);
    expect(mails).toHaveLength(2);

    // The owner is notified in the language of the owner's account, whatever page the member uses.
    const [link = ''] = /http\S+/.exec(toCleo?.text ?? '') ?? [];
    const invitation = new URL(link).pathname.split('/').pop();
    await send('POST', '/api/invitations/accept', 'en', { token: invitation }, cleo.token);
    const [notice, ...others] = await newMails();
    expect(others).toEqual([]);
    expect([notice?.to, notice?.subject]).toEqual([ada.email, 'Une personne a rejoint votre jardin']);
    expect(notice?.text).toContain(
      `Ada (${cleo.email}) a accepté une invitation dans le jardin «${wide}La serre${wide}» et y est maintenant lecteur.`,
    );

    const dan = uniqueEmail('dan');
    await send('POST', '/api/invitations', null, { email: dan, role: 'viewer' }, ada.token);
    expect(await subjects()).toEqual([[dan, 'You are invited to a garden']]);
  });

  it('of logs is each owner’s, with its way of writing times', async () => {
    const { email, token } = await frenchAccount();
    await send('PATCH', '/api/device', null, { name: 'Gertrude', timezone: 'Asia/Tokyo' }, token);
    await send('POST', '/api/logs', 'en', { message: 'Is it stuck ?', channels: ['fatal_email'] }, token);
    const [failure] = await newMails();
    expect([failure?.to, failure?.subject, failure?.header]).toEqual([
      email,
      'Nouvelle erreur signalée par Gertrude',
      'fr',
    ]);
    // The message is as the robot wrote it.
    expect(failure?.text).toBe(
      `Gertrude a signalé une erreur qui demande votre attention${wide}:\n\n[01/04/2026 15:32]: Is it stuck ?\n`,
    );
    await send('POST', '/api/logs', 'en', { message: 'dry', channels: ['email'] }, token);
    clock.time += 11 * 60_000;
    const [digest] = await newMails();
    expect(digest?.subject).toBe('Nouveau message de Gertrude');
    expect(digest?.text).toContain(`Message de Gertrude${wide}:\n\n[01/04/2026 15:32]: dry`);
    expect(`${failure?.text}${digest?.text}`).not.toContain(narrow);
  });

  it('of the server’s texts in a log is the first owner’s of the garden', async () => {
    const { email, token } = await frenchAccount();
    const points = async (count: number) =>
      send(
        'POST',
        '/api/points/bulk',
        'en',
        { points: Array(count).fill({ pointer_type: 'Weed', x: 1, y: 2 }) },
        token,
      );
    const notice = async () => {
      const [log] = (await app.call('GET', '/api/logs', { token })).json;
      return [log.message, log.major_version, log.channels];
    };
    await points(500);
    await points(301);
    const text = 'Il y a 800 points sur 1000 au plus. Supprimez ceux dont vous n’avez pas besoin.';
    expect(await notice()).toEqual([text, 99, ['fatal_email']]);
    const [mail] = await newMails();
    expect([mail?.to, mail?.subject]).toEqual([email, 'Nouvelle erreur signalée par FarmBot']);
    expect(mail?.text).toContain(`[01/04/2026 06:32]: ${text}\n`);
  });
});
