// Signs in, plants a carrot and receives its announcement, has the robot work, and shows an error.
//   node example.ts https://garden.example ada@example.com "a password"      (Node 22.18 or newer runs TypeScript)
import mqtt from 'mqtt';
import { createApi, dataOf, Failure, signIn } from 'potager-client';
import { brokerOf, command, type Message, parseMessage, topics } from 'potager-client/topics';

const [server = 'http://localhost:3000', email = '', password = ''] = process.argv.slice(2);
const session = await signIn({ server, email, password });
const api = createApi(session);

// Changes and the robot's responses arrive over MQTT.
const { url, username, password: token, deviceId } = await brokerOf(session);
const broker = await mqtt.connectAsync(url, { username, password: token });
await broker.subscribeAsync([topics.syncFilter(deviceId, 'Point'), topics.channel(deviceId, 'from_device')]);
const next = (isExpected: (message: Message) => boolean): Promise<Message> =>
  new Promise((resolve) => {
    broker.on('message', (topic, payload) => {
      const message = parseMessage(topic, payload);
      if (message && isExpected(message)) resolve(message);
    });
  });

const announced = next(({ channel }) => channel === 'sync');
const plant = await dataOf(
  api.POST('/api/points', { body: { pointer_type: 'Plant', name: 'Carrot', x: 100, y: 200, z: 0 } }),
);
console.log(`planted ${plant.name} with the id ${plant.id}`);
const change = await announced;
if (change.channel === 'sync' && change.resource === 'Point')
  console.log(`announced: ${change.body?.name} with the id ${change.id}`);

const points = await dataOf(api.GET('/api/points'));
console.log(`points: ${points.map(({ name }) => name).join(', ')}`);

// Resolves when the robot has done it, if one is connected.
const done = next((message) => message.channel === 'from_device' && message.body.args.label === 'example');
broker.publish(
  topics.channel(deviceId, 'from_clients'),
  command('example', [{ kind: 'wait', args: { milliseconds: 10 } }]),
);
const response = await done;
if (response.channel === 'from_device') console.log(`the robot answered ${response.body.kind}`);

try {
  await dataOf(api.POST('/api/sensors', { body: { label: '', pin: 59, mode: 1 } }));
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.log(`refused with ${error.status}:`, error.fields);
}
await dataOf(api.DELETE('/api/points/{id}', { params: { path: { id: String(plant.id) } } }));
await broker.endAsync();
