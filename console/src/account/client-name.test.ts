import { expect, it } from 'vitest';
import { clientOf } from './client-name.ts';

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', { name: 'Firefox', system: 'Linux' }],
  [
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
    { name: 'Chrome', system: 'Android' },
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    { name: 'Safari', system: 'iOS' },
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
    { name: 'Microsoft Edge', system: 'Windows' },
  ],
  ['FarmbotOS/15.4.6 (rpi3) rpi3 ()', { name: 'FarmBot OS 15.4.6', isVirtual: false }],
  ['FarmbotOS/15.4.6 (virtual) virtual ()', { name: 'FarmBot OS 15.4.6', isVirtual: true }],
  ['curl/8.5.0', { name: 'curl 8.5.0' }],
  ['python-requests/2.32.3', { name: 'python-requests 2.32.3' }],
  ['node', { name: 'node' }],
  ['', null],
])('reads the client of %s', (userAgent, client) => expect(clientOf(userAgent)).toEqual(client));
