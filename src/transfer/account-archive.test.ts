import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { zipContent } from '../../test/support/zip-content.ts';
import { zipStream } from './account-archive.ts';

const modified = Date.UTC(2026, 10, 21);

describe('a ZIP archive that is created while it is read', () => {
  it('contains buffers and streams in order', async () => {
    async function* entries() {
      yield { name: 'export.json', content: Buffer.from('{}'), modified };
      yield { name: 'photos/1.jpg', content: Readable.from([Buffer.from('one'), Buffer.from('two')]), modified };
      yield { name: 'photos/2.jpg', content: Readable.from([]), modified };
    }
    const files = await zipContent(await buffer(zipStream(entries())));
    expect([...files].map(([name, bytes]) => [name, bytes.toString()])).toEqual([
      ['export.json', '{}'],
      ['photos/1.jpg', 'onetwo'],
      ['photos/2.jpg', ''],
    ]);
  });

  it('destroys its entries and opens no more when it is destroyed', async () => {
    const opened: Readable[] = [];
    async function* entries() {
      for (let i = 0; i < 3; i++) {
        const content = new Readable({ read: () => undefined });
        content.push(Buffer.alloc(1000));
        opened.push(content);
        yield { name: `photos/${i}.jpg`, content, modified };
      }
    }
    const zip = zipStream(entries());
    await new Promise((resolve) => zip.once('data', resolve));
    zip.destroy();
    await expect.poll(() => opened.map(({ destroyed }) => destroyed)).toEqual([true]);
    await sleep(20);
    expect(opened).toHaveLength(1);
  });

  it('fails if an entry fails', async () => {
    async function* entries() {
      yield { name: 'export.json', content: Buffer.from('{}'), modified };
      const content = new Readable({ read: () => void content.destroy(new Error('the disk failed')) });
      yield { name: 'photos/1.jpg', content, modified };
    }
    await expect(buffer(zipStream(entries()))).rejects.toThrow('the disk failed');
    async function* failing() {
      yield { name: 'export.json', content: Buffer.from('{}'), modified };
      throw new Error('the database failed');
    }
    await expect(buffer(zipStream(failing()))).rejects.toThrow('the database failed');
  });
});
