import type { Passwords } from '../accounts/passwords.ts';
import { currentUser, userUnlessPasswordChanged } from '../accounts/sessions.ts';
import type { UserRow } from '../accounts/users.ts';
import { invalid } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { maxDocumentSize } from './import-limits.ts';
import type { ImportMode } from './import-report.ts';
import { importModes, reportSchema } from './import-report.ts';
import type { Importer } from './importer.ts';
import type { ServerAddress } from './transfer-rules.ts';

/** The header with the user's password, for replacing an account. A query parameter would be logged. */
const passwordHeader = 'x-account-password';

export interface ImportRouteDependencies {
  readonly importer: Importer;
  readonly passwords: Pick<Passwords, 'verify'>;
  address(call: Call): ServerAddress;
}

const wrongPassword = () =>
  invalid({ password: `To replace the account, send your password in the header ${passwordHeader}.` });

/** Returns the password. Clients send UTF-8, but Node decodes headers as Latin-1. */
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
  const mode = importModes.find((each) => each === (sent ?? 'empty'));
  if (!mode) throw invalid({ mode: `Mode must be one of ${importModes.join(', ')}.` });
  return mode;
}

function flagOf(query: Call['query'], name: string): boolean {
  const sent = query[name];
  if (sent !== undefined && sent !== 'true' && sent !== 'false')
    throw invalid({ [name]: 'This must be true or false.' });
  return sent === 'true';
}

const flag = (description: string) =>
  Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')], { description }));

/** `POST /api/import`: imports a document or archive of `export_data`, from Potager or the vendor's service. */
export const importRoute = ({ importer, passwords, address }: ImportRouteDependencies): DeviceRoute => ({
  access: 'token',
  tag: 'device',
  method: 'POST',
  path: '/api/import',
  transaction: false,
  addition: true,
  summary: `Import an account: the JSON of an export (at most ${maxDocumentSize / 1024 / 1024} MiB), or a ZIP archive of it with photos`,
  body: { rule: 'stream', schema: Type.Object({}) },
  query: Type.Object({
    mode: Type.Optional(
      Type.Union(
        importModes.map((mode) => Type.Literal(mode)),
        {
          description: `\`empty\`: the account must be empty. \`merge\`: existing records with the same unique name or pin are used. \`replace\`: all records are deleted first, after a backup; requires the password in the header \`${passwordHeader}\`.`,
        },
      ),
    ),
    check: flag('Only report what would be done.'),
    strict: flag('Reject a document of which anything would be changed or lost.'),
  }),
  replies: { 200: reportSchema },
  async handle(scope, call) {
    const mode = modeOf(call.query.mode);
    const check = flagOf(call.query, 'check');
    const isStrict = flagOf(call.query, 'strict');
    const user = mode === 'replace' && !check ? await assertPassword(passwords, scope, call) : null;
    return importer.import(scope, () => importer.folder.receive(call.bodyStream), {
      ...{ mode, check, isStrict, address: address(call) },
      async assertAllowed(inner) {
        if (user && !(await userUnlessPasswordChanged(inner, user))) throw wrongPassword();
      },
    });
  },
});
