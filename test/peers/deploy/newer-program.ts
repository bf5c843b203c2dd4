import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { program } from '../../support/servers.ts';
import { repository, rewrite } from './deployed-files.ts';

/** A migration of the next release, as the bundle has them. */
const expansion = `{
  number: 29990101000000,
  name: 'notes of tools',
  expand(schema) {
    const text = { type: 'text', isNullable: true, foreignKey: null };
    schema.addColumn('tools', 'note', text);
    schema.addColumn('token_issuances', 'note', text);
    schema.createIndex('tools', ['note']);
    const device_id = { type: 'bigint', isNullable: false, foreignKey: { table: 'devices', onDelete: 'cascade' } };
    schema.createTable('weathers', { device_id, summary: text }, { indexes: [['device_id']] });
  },
}`;

/** Copies the built server into a folder, as a later release with one more migration. Returns the path of its program. */
export function createNewerProgram(parent: string): string {
  const folder = join(parent, 'newer');
  mkdirSync(folder);
  const built = dirname(program);
  const dist = join(folder, 'dist');
  // The console is large, and has no paths of its own.
  cpSync(built, dist, { recursive: true, filter: (path) => basename(path) !== 'console' });
  symlinkSync(join(built, 'console'), join(dist, 'console'));
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  const { version, ...description } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...description, version: '9.0.0' }));
  const list = join(dist, 'list.js');
  const exported = 'export { migrations as';
  writeFileSync(
    list,
    rewrite(readFileSync(list, 'utf8'), { [exported]: `migrations.push(${expansion});\n${exported}` }),
  );
  return join(dist, 'main.js');
}
