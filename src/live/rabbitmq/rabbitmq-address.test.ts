import { describe, expect, it } from 'vitest';
import { rabbitMqAddress, rabbitMqTrouble } from './rabbitmq-address.ts';

describe('the address of RabbitMQ', () => {
  it('signs in as admin with the admin password where it names no user', () => {
    expect(rabbitMqAddress('amqp://broker.example', 'secret')).toEqual({
      host: 'broker.example',
      port: 5672,
      tls: false,
      username: 'admin',
      password: 'secret',
      vhost: '/',
      name: 'broker.example:5672',
    });
  });

  it('takes user, password, port and virtual host as they are encoded', () => {
    expect(rabbitMqAddress('amqps://potager:p%40ss@[::1]:5700/my%2Fgarden', 'secret')).toEqual({
      host: '::1',
      port: 5700,
      tls: true,
      username: 'potager',
      password: 'p@ss',
      vhost: 'my/garden',
      name: '[::1]:5700',
    });
    expect(rabbitMqAddress('amqps://potager:x@broker.example/%2F', null)).toMatchObject({ port: 5671, vhost: '/' });
  });

  it('refuses other schemes, without telling the password', () => {
    expect(() => rabbitMqAddress('mqtt://admin:secret@broker.example', null)).toThrow(
      'BROKER_URL must begin with amqp:// or amqps://; robots speak MQTT to RabbitMQ, the server AMQP.',
    );
  });
});

describe('trouble with RabbitMQ', () => {
  const address = rabbitMqAddress('amqp://potager:secret@broker.example/garden', null);
  const trouble = (code: string, text = 'x') => rabbitMqTrouble(address, Object.assign(new Error(text), { code }));

  it('is told in plain words', () => {
    expect(trouble('ECONNREFUSED')).toBe('Nothing listens at broker.example:5672.');
    expect(trouble('ENOTFOUND')).toBe('The host of broker.example:5672 cannot be found.');
    expect(trouble('ETIMEDOUT')).toBe('broker.example:5672 does not answer.');
    expect(trouble('ACCESS_REFUSED')).toMatch(/^RabbitMQ at broker.example:5672 refused the user potager: /);
    expect(trouble('NOT_ALLOWED')).toBe(
      'RabbitMQ at broker.example:5672 does not let the user potager into the virtual host garden.',
    );
    expect(trouble('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate')).toBe(
      'RabbitMQ at broker.example:5672: self-signed certificate',
    );
    expect(rabbitMqTrouble(address, 'something')).toBe('RabbitMQ at broker.example:5672: something');
  });
});
