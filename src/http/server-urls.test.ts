import { expect, it } from 'vitest';
import { publicBaseUrl, ServerUrls, tokenUrls } from './server-urls.ts';

const unset = { HOST: '0.0.0.0', PUBLIC_URL: null, IN_CONTAINER: false, MQTT_HOST: null, MQTT_WS_URL: null };

it('puts the address that the client used into tokens, with its port', () => {
  expect(tokenUrls({ host: '192.168.1.20:3000', isSecure: false }, unset)).toEqual({
    iss: '//192.168.1.20:3000',
    mqtt: '192.168.1.20',
    mqttWs: 'ws://192.168.1.20:3000/ws',
  });
  expect(tokenUrls({ host: 'garden.example', isSecure: true }, unset)).toEqual({
    iss: '//garden.example:443',
    mqtt: 'garden.example',
    mqttWs: 'wss://garden.example:443/ws',
  });
  expect(tokenUrls({ host: 'garden.example', isSecure: false }, unset).iss).toBe('//garden.example:80');
  // The port that the client used, not the default of the scheme.
  expect(tokenUrls({ host: 'garden.example:80', isSecure: true }, unset).iss).toBe('//garden.example:80');
  expect(tokenUrls({ host: '[::1]:3000', isSecure: false }, unset)).toMatchObject({
    iss: '//[::1]:3000',
    mqtt: '::1',
  });
});

it('names an external broker', () => {
  const settings = { ...unset, MQTT_HOST: 'broker.example', MQTT_WS_URL: 'wss://broker.example/mqtt' };
  expect(tokenUrls({ host: 'a:1', isSecure: false }, settings)).toEqual({
    iss: '//a:1',
    mqtt: 'broker.example',
    mqttWs: 'wss://broker.example/mqtt',
  });
});

it('uses the public URL for links in mail, else the address of this machine', () => {
  expect(publicBaseUrl({ ...unset, PUBLIC_URL: 'https://garden.example' }, 3000)).toBe('https://garden.example');
  expect(publicBaseUrl({ ...unset, HOST: '127.0.0.2' }, 3000)).toBe('http://127.0.0.2:3000');
  expect(publicBaseUrl({ ...unset, HOST: '::1' }, 80)).toBe('http://[::1]:80');
  expect(publicBaseUrl(unset, 3000)).toMatch(/^http:\/\/\d+\.\d+\.\d+\.\d+:3000$/);
});

it('does not show robots the address of a container', () => {
  const container = { ...unset, IN_CONTAINER: true, PORT: 3000 };
  const urls = new ServerUrls(container);
  expect(urls.forRobots()).toBeNull();
  expect(urls.base()).toBe('http://localhost:3000');
  const named = new ServerUrls({ ...container, PUBLIC_URL: 'http://192.168.1.20:3000' });
  expect(named.forRobots()).toBe('http://192.168.1.20:3000');
  expect(named.base()).toBe('http://192.168.1.20:3000');
  expect(new ServerUrls({ ...unset, PORT: 3000 }).forRobots()).toMatch(/^http:\/\/\d+\.\d+\.\d+\.\d+:3000$/);
});
