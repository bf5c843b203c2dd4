import { expect, it } from 'vitest';
import { mailBase, tokenAddresses } from './server-addresses.ts';

const unset = { HOST: '0.0.0.0', PUBLIC_URL: null, MQTT_HOST: null, MQTT_WS_URL: null };

it('tells clients the address they used, with its port', () => {
  expect(tokenAddresses({ host: '192.168.1.20:3000', secure: false }, unset)).toEqual({
    iss: '//192.168.1.20:3000',
    mqtt: '192.168.1.20',
    mqttWs: 'ws://192.168.1.20:3000/ws',
  });
  expect(tokenAddresses({ host: 'garden.example', secure: true }, unset)).toEqual({
    iss: '//garden.example:443',
    mqtt: 'garden.example',
    mqttWs: 'wss://garden.example:443/ws',
  });
  expect(tokenAddresses({ host: 'garden.example', secure: false }, unset).iss).toBe('//garden.example:80');
  // The port that the client used, not the one that its scheme usually has.
  expect(tokenAddresses({ host: 'garden.example:80', secure: true }, unset).iss).toBe('//garden.example:80');
  expect(tokenAddresses({ host: '[::1]:3000', secure: false }, unset)).toMatchObject({
    iss: '//[::1]:3000',
    mqtt: '::1',
  });
});

it('names another broker when there is one', () => {
  const settings = { ...unset, MQTT_HOST: 'broker.example', MQTT_WS_URL: 'wss://broker.example/mqtt' };
  expect(tokenAddresses({ host: 'a:1', secure: false }, settings)).toEqual({
    iss: '//a:1',
    mqtt: 'broker.example',
    mqttWs: 'wss://broker.example/mqtt',
  });
});

it('begins links in mail with the public address, else with this machine', () => {
  expect(mailBase({ ...unset, PUBLIC_URL: 'https://garden.example' }, 3000)).toBe('https://garden.example');
  expect(mailBase({ ...unset, HOST: '127.0.0.2' }, 3000)).toBe('http://127.0.0.2:3000');
  expect(mailBase({ ...unset, HOST: '::1' }, 80)).toBe('http://[::1]:80');
  expect(mailBase(unset, 3000)).toMatch(/^http:\/\/\d+\.\d+\.\d+\.\d+:3000$/);
});
