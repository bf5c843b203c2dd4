import { expect, it } from 'vitest';
import { programName } from './user-agent.ts';

it('names browsers and robots as people do, and leaves other programs as they call themselves', () => {
  const names = [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    'FarmbotOS/15.4.11 (rpi3) rpi3 ()',
    'curl/8.5.0',
  ].map(programName);
  expect(names).toEqual([
    'Edge · Windows',
    'Firefox · Linux',
    'Chrome · Android',
    'Safari · iPhone',
    'Safari · macOS',
    'FarmBot OS 15.4.11',
    'curl/8.5.0',
  ]);
});
