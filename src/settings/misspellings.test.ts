import { describe, expect, it } from 'vitest';
import { distance, misspellings, nearestName } from './misspellings.ts';

describe('distance', () => {
  it('counts deletions, insertions, substitutions and transpositions', () => {
    expect(distance('DATA_DIR', 'DATA_DIR')).toBe(0);
    expect(distance('DATADIR', 'DATA_DIR')).toBe(1);
    expect(distance('DATTA_DIR', 'DATA_DIR')).toBe(1);
    expect(distance('DATE_DIR', 'DATA_DIR')).toBe(1);
    expect(distance('DATA_DRI', 'DATA_DIR')).toBe(1);
    expect(distance('DTAA_DRI', 'DATA_DIR')).toBe(2);
  });

  it('is at most 3', () => {
    expect(distance('PATH', 'DATA_DIR')).toBe(3);
    expect(distance('DTAA_DRIX', 'DATA_DIR')).toBe(3);
    expect(distance('', 'DATA_DIR')).toBe(3);
  });
});

describe('misspellings', () => {
  const known = ['HOST', 'PORT', 'DATA_DIR', 'PUBLIC_URL', 'SMTP_URL', 'EMAIL_VERIFICATION'];

  it('finds edits, lowercase letters and dashes', () => {
    expect(misspellings(['DATADIR', 'public-url', 'EMAIL_VERIFCATOIN'], known)).toEqual([
      { name: 'DATADIR', meant: 'DATA_DIR' },
      { name: 'public-url', meant: 'PUBLIC_URL' },
      { name: 'EMAIL_VERIFCATOIN', meant: 'EMAIL_VERIFICATION' },
    ]);
  });

  it('ignores known names and variables of other programs', () => {
    const others = [
      'HOST',
      'HOME',
      'PATH',
      'PWD',
      'TERM',
      'HOSTNAME',
      'LANG',
      'POST',
      'SSL_CERT_FILE',
      'npm_config_cache',
    ];
    expect(misspellings(others, known)).toEqual([]);
  });
});

describe('nearestName', () => {
  const known = ['HOST', 'PORT', 'DATA_DIR'];

  it('finds short names too', () => {
    expect(nearestName('POTR', known)).toBe('PORT');
    expect(nearestName('data-dri', known)).toBe('DATA_DIR');
    expect(nearestName('ROBOT', known)).toBeNull();
  });
});
