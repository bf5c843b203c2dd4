import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { BrokerClient } from './broker-client.ts';

it("reports the reason for which Home Assistant's broker refuses the connection", async () => {
  // CONNACK with the return code 5.
  const broker = createServer((socket) => socket.once('data', () => socket.end(Buffer.from([0x20, 2, 0, 5]))));
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void broker.close());
  const { port } = broker.address() as AddressInfo;
  const connect = (address: string) =>
    new Promise<string>((resolve, reject) => {
      const ignored = {
        onReady: () => undefined,
        onCommand: () => undefined,
        onRetained: () => undefined,
        onRefused: () => undefined,
      };
      const client = BrokerClient.connect({ ...ignored, url: `mqtt://potager:wrong@${address}`, onError: resolve });
      client.then((each) => onTestFinished(() => each.end(true)), reject);
    });
  expect(await connect(`127.0.0.1:${port}`)).toBe('Connection refused: Not authorized');
  expect(await connect('127.0.0.1:1')).toBe('ECONNREFUSED');
});
