// example.mjs
// Signs in, plants a carrot and receives its announcement, has the robot work, and shows an error.
//   node example.mjs https://garden.example ada@example.com "a password"
import mqtt from 'mqtt';
import { createApi, dataOf, Failure, signIn } from 'potager-client';
import { brokerOf, command, parseMessage, topics } from 'potager-client/topics';

const [server = 'http://localhost:3000', email = '', password = ''] = process.argv.slice(2);
const session = await signIn({ server, email, password });
const api = createApi(session);

// Changes and the robot's responses arrive over MQTT.
const { url, username, password: token, deviceId } = await brokerOf(session);
const broker = await mqtt.connectAsync(url, { username, password: token });
await broker.subscribeAsync([topics.syncFilter(deviceId, 'Point'), topics.channel(deviceId, 'from_device')]);
const announced = new Promise((resolve) => {
  broker.on('message', (topic, payload) => {
    const message = parseMessage(topic, payload);
    if (message?.channel === 'sync' && message.resource === 'Point')
      resolve(`${message.body?.name} with the id ${message.id}`);
  });
});
// Resolves when the robot has done it, if one is connected.
const answered = new Promise((resolve) => {
  broker.on('message', (topic, payload) => {
    const message = parseMessage(topic, payload);
    if (message?.channel === 'from_device' && message.body.args.label === 'example') resolve(message.body.kind);
  });
});

const plant = await dataOf(
  api.POST('/api/points', { body: { pointer_type: 'Plant', name: 'Carrot', x: 100, y: 200, z: 0 } }),
);
console.log(`planted ${plant.name} with the id ${plant.id}`);
console.log(`announced: ${await announced}`);

const points = await dataOf(api.GET('/api/points'));
console.log(`points: ${points.map(({ name }) => name).join(', ')}`);

broker.publish(
  topics.channel(deviceId, 'from_clients'),
  command('example', [{ kind: 'wait', args: { milliseconds: 10 } }]),
);
console.log(`the robot answered ${await answered}`);

try {
  await dataOf(api.POST('/api/sensors', { body: { label: '', pin: 59, mode: 1 } }));
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.log(`refused with ${error.status}:`, error.fields);
}
await dataOf(api.DELETE('/api/points/{id}', { params: { path: { id: String(plant.id) } } }));
await broker.endAsync();
