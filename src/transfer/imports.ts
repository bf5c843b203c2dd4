import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Passwords } from '../accounts/passwords.ts';
import { userByEmail } from '../accounts/users.ts';
import type { Clock } from '../core/clock.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Call, Route } from '../engine/route.ts';
import type { ServerFetch } from '../engine/server-fetch.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { requestOrigin } from '../photos/photo-origins.ts';
import type { PhotoStorage } from '../photos/photo-storage.ts';
import type { ExportAddress, ExportDocument } from './export-document.ts';
import type { ImportMode } from './import-modes.ts';
import type { ImportReport } from './import-report.ts';
import { importRoute } from './import-route.ts';
import { ImportFolder, importsFolder } from './import-upload.ts';
import { Importer } from './importer.ts';

/** What imports need of the rest of the program. */
export interface ImportDependencies {
  readonly server: () => ServerScope;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly document: ExportDocument;
  readonly photos: PhotoStorage;
  readonly fetch: ServerFetch;
  readonly queue: JobQueue;
  readonly passwords: Passwords;
  /** Deletes everything that an account holds, in a transaction. */
  deleteGarden(scope: DeviceScope): Promise<void>;
  /** The `iss` of tokens for whoever reaches the server so: `//host:port`. */
  issuer(call: Pick<Call, 'host' | 'isSecure'>): string;
  /** What links in mail begin with. */
  mailBase(): string;
}

/** How an operator imports an account. */
export interface ImportOptions {
  readonly mode: ImportMode;
  readonly check: boolean;
  readonly strict: boolean;
}

export interface ImportOperations {
  /** Imports a file into an account. Gives what was done; null: there is no such account. Throws Failures. */
  importFile(email: string, path: string, options: ImportOptions): Promise<ImportReport | null>;
}

/** All that takes accounts in. */
export interface Imports {
  readonly routes: readonly Route[];
  readonly jobs: readonly JobDefinition[];
  /** Deletes the files of imports that ended with their process; to be called at start. */
  deleteLeftovers(): Promise<void>;
  readonly operations: ImportOperations;
}

const day = 24 * 3600_000;

/** Puts the imports together. */
export function createImports(dependencies: ImportDependencies): Imports {
  const { server, dataDir, clock, document, photos, fetch, queue, passwords, issuer, mailBase } = dependencies;
  const folder = new ImportFolder(join(dataDir, importsFolder), clock);
  const importer = new Importer({
    ...{ folder, document, photos, fetch, queue },
    emptyGarden: (scope) => dependencies.deleteGarden(scope),
    backUps: join(dataDir, 'imports-replaced'),
  });
  const address = (call: Pick<Call, 'host' | 'isSecure'>): ExportAddress => ({
    server: issuer(call),
    base: requestOrigin(call),
  });
  const ownAddress = (): ExportAddress => {
    const { host, protocol } = new URL(mailBase());
    return address({ host, isSecure: protocol === 'https:' });
  };
  return {
    routes: [importRoute({ importer, passwords, address })],
    jobs: [{ kind: 'import_sweep', interval: day, handle: () => folder.sweep() }],
    deleteLeftovers: () => folder.sweep(),
    operations: {
      async importFile(email, path, { mode, check, strict }) {
        const user = await userByEmail(server(), email);
        if (!user) return null;
        const scope = server().device(user.device_id);
        const wish = { mode, check, isStrict: strict, address: ownAddress() };
        return importer.take(scope, () => folder.receive(createReadStream(path)), wish);
      },
    },
  };
}
