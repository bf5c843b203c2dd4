import Type from 'typebox';
import type { Passwords } from '../accounts/passwords.ts';
import { currentUser, userUnlessPasswordChanged } from '../accounts/sessions.ts';
import type { UserRow } from '../accounts/users.ts';
import { invalid } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import type { ExportAddress } from './export-document.ts';
import { largestJson } from './import-limits.ts';
import type { ImportMode } from './import-modes.ts';
import { importModes } from './import-modes.ts';
import { reportSchema } from './import-report.ts';
import type { Importer } from './importer.ts';

/** The header with the password of whoever replaces an account. An address would end up in logs. */
export const passwordHeader = 'x-account-password';

export interface ImportRouteServices {
  readonly importer: Importer;
  readonly passwords: Pick<Passwords, 'verify'>;
  address(call: Call): ExportAddress;
}

const wrongPassword = () =>
  invalid({ password: `To replace the account, send its password in the header ${passwordHeader}.` });

/** The password as it was typed: bytes of headers are read as Latin-1, and clients send UTF-8. */
function passwordOf({ headers }: Call): string {
  const sent = headers[passwordHeader];
  return typeof sent === 'string' ? Buffer.from(sent, 'latin1').toString('utf8') : '';
}

async function assertPassword(passwords: Pick<Passwords, 'verify'>, scope: DeviceScope, call: Call): Promise<UserRow> {
  const user = await currentUser(scope);
  if (!(await passwords.verify(user.password_hash, passwordOf(call)))) throw wrongPassword();
  return user;
}

function modeOf(sent: string | undefined): ImportMode {
  const mode = importModes.find((one) => one === (sent ?? 'empty'));
  if (!mode) throw invalid({ mode: `Mode must be one of ${importModes.join(', ')}.` });
  return mode;
}

function isOn(query: Call['query'], name: string): boolean {
  const sent = query[name];
  if (sent !== undefined && sent !== 'true' && sent !== 'false') throw invalid({ [name]: 'It must be true or false.' });
  return sent === 'true';
}

const flag = (description: string) =>
  Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')], { description }));

/** The way back of `export_data`: takes what it gave, of this server or of the vendor's. */
export const importRoute = ({ importer, passwords, address }: ImportRouteServices): DeviceRoute => ({
  access: 'token',
  tag: 'device',
  method: 'POST',
  path: '/api/import',
  transaction: false,
  addition: true,
  summary: `Import an account: the JSON of an export (at most ${largestJson / 1024 / 1024} MiB), or a ZIP archive of it with photos`,
  body: { rule: 'stream', schema: Type.Object({}) },
  query: Type.Object({
    mode: Type.Optional(
      Type.Union(
        importModes.map((mode) => Type.Literal(mode)),
        {
          description: `\`empty\`: the account must hold nothing yet. \`merge\`: names and pins that are there already are used as they are. \`replace\`: everything is deleted first, after it was written to a file; needs the password in the header \`${passwordHeader}\`.`,
        },
      ),
    ),
    check: flag('Only report: nothing is stored.'),
    strict: flag('Refuse a document of which anything would be changed or lost.'),
  }),
  replies: { 200: reportSchema },
  async handle(scope, call) {
    const mode = modeOf(call.query.mode);
    const check = isOn(call.query, 'check');
    const isStrict = isOn(call.query, 'strict');
    const user = mode === 'replace' && !check ? await assertPassword(passwords, scope, call) : null;
    return importer.take(scope, () => importer.folder.receive(call.bodyStream), {
      ...{ mode, check, isStrict, address: address(call) },
      async assertAllowed(inner) {
        if (user && !(await userUnlessPasswordChanged(inner, user))) throw wrongPassword();
      },
    });
  },
});
