import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exitCodeOf } from '../../../src/commands/failures.ts';
import { SettingsError } from '../../../src/settings/settings.ts';
import { program } from '../../support/servers.ts';
import { deployedFile, parseSettings, rewrite, unitValues } from './deployed-files.ts';

const names = ['potager.service', 'potager-certificate.service', 'potager-certificate.timer'];
/** The highest exposure that `systemd-analyze security` may report, in tenths. The network is most of it. */
const maxExposure = '13';
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'potager-units-'));
  chmodSync(folder, 0o755);
  // The command is not installed on this machine.
  const commands = { 'ExecStart=potager ': `ExecStart=${process.execPath} ${program} ` };
  for (const name of names)
    writeFileSync(join(folder, name), rewrite(deployedFile(name), name === 'potager.service' ? commands : {}));
});

afterAll(() => rmSync(folder, { recursive: true }));

it('are valid units of systemd', () => {
  const { status, stderr } = spawnSync(
    'systemd-analyze',
    ['verify', '--man=no', ...names.map((name) => join(folder, name))],
    {
      encoding: 'utf8',
    },
  );
  expect([stderr, status]).toEqual(['', 0]);
});

it('give Potager no right that it does not need', () => {
  const words = ['security', '--offline=true', `--threshold=${maxExposure}`, join(folder, 'potager.service')];
  const { status, stdout } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
  expect(stdout).toContain('Overall exposure level for potager.service');
  expect(status, stdout).toBe(0);
});

it('do not start Potager again when a setting is wrong', () => {
  const unit = deployedFile('potager.service');
  expect(unitValues(unit, 'Restart')).toEqual(['always']);
  const codes = unitValues(unit, 'RestartPreventExitStatus').map(Number);
  expect(codes).toEqual([exitCodeOf(new SettingsError([{ name: 'PORT', message: 'is wrong' }]))]);
  expect(codes).not.toContain(exitCodeOf(new Error('the database is unavailable')));
});

it('start Potager with the settings of the file beside them', () => {
  const unit = deployedFile('potager.service');
  expect(unitValues(unit, 'EnvironmentFile')).toEqual(['-/etc/potager/potager.env']);
  expect(parseSettings(deployedFile('potager.env'))).toMatchObject({ HOST: '127.0.0.1', TRUST_PROXY: '127.0.0.1' });
});
