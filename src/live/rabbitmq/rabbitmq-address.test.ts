import { describe, expect, it } from 'vitest';
import { connectionProblem, rabbitMqAddress } from './rabbitmq-address.ts';

describe('the address of RabbitMQ', () => {
  it('uses admin and the admin password by default', () => {
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

  it('decodes user, password, port and virtual host', () => {
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

  it('rejects other schemes, without the password in the message', () => {
    expect(() => rabbitMqAddress('mqtt://admin:secret@broker.example', null)).toThrow(
      'BROKER_URL must begin with amqp:// or amqps://: robots use MQTT with RabbitMQ, the server AMQP.',
    );
  });
});

describe('connectionProblem', () => {
  const address = rabbitMqAddress('amqp://potager:secret@broker.example/garden', null);
  const problem = (code: string, text = 'x') =>
    String(connectionProblem(address, Object.assign(new Error(text), { code })));

  it('explains errors by their code', () => {
    expect(problem('ECONNREFUSED')).toBe('RabbitMQ at broker.example:5672 refuses connections: it may not be running.');
    expect(problem('ENOTFOUND')).toBe('The host name in broker.example:5672 cannot be resolved.');
    expect(problem('ETIMEDOUT')).toBe('RabbitMQ at broker.example:5672 does not respond.');
    expect(problem('ACCESS_REFUSED')).toMatch(/^RabbitMQ at broker.example:5672 refused the user potager: /);
    expect(problem('NOT_ALLOWED')).toBe(
      'RabbitMQ at broker.example:5672 does not allow the user potager to use the virtual host garden.',
    );
    expect(problem('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate')).toBe(
      'RabbitMQ at broker.example:5672: self-signed certificate',
    );
    expect(String(connectionProblem(address, 'something'))).toBe('RabbitMQ at broker.example:5672: something');
  });
});
