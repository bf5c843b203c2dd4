import { expect, it } from 'vitest';
import { brokerUrlOf } from './broker-connection.ts';
import { RobotError, readToken } from './robot-api.ts';

const token = (mqttWs: string, mqtt = 'garden.local') => ({ encoded: '', bot: 'device_5', mqtt, mqttWs });

it('derives the URL of the broker from the token', () => {
  expect(brokerUrlOf(token('ws://garden.local:3000/ws'), {})).toBe('mqtt://garden.local:1883');
  expect(brokerUrlOf(token('wss://garden.local/ws'), {})).toBe('mqtts://garden.local:8883');
  expect(brokerUrlOf(token('ws://garden.local:3000/ws'), { port: 1999 })).toBe('mqtt://garden.local:1999');
  expect(brokerUrlOf(token('wss://garden.local/ws'), { webSocket: true })).toBe('wss://garden.local/ws');
  expect(brokerUrlOf(token('ws://[::1]:3000/ws', '::1'), {})).toBe('mqtt://[::1]:1883');
});

it('parses the claims of a token', () => {
  const claims = { bot: 'device_5', mqtt: 'garden.local', mqtt_ws: 'ws://garden.local:3000/ws', sub: 1 };
  const encoded = `e30.${btoa(JSON.stringify(claims))}.c2ln`;
  expect(readToken(encoded)).toEqual({
    encoded,
    bot: 'device_5',
    mqtt: 'garden.local',
    mqttWs: 'ws://garden.local:3000/ws',
  });
  for (const bad of ['', 'a.b.c', 'e30.e30.e30', `e30.${btoa('null')}.x`])
    expect(() => readToken(bad)).toThrow(RobotError);
});
