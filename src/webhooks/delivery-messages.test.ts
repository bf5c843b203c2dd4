import { describe, expect, it } from 'vitest';
import { sayOfFetch } from '../engine/fetch-messages.ts';
import { FetchFailure, type FetchFailureReason } from '../engine/server-fetch.ts';
import { deliveryMessage, sayOfDelivery } from './delivery-messages.ts';

/** The text of a stored failure for people. */
const read = (stored: string) => {
  const message = deliveryMessage(stored);
  return [String(message), message?.in('en'), message?.in('fr')];
};

describe('stored failures of deliveries', () => {
  it.each(Object.keys(sayOfFetch) as FetchFailureReason[])('are read back: %s', (reason) => {
    for (const { message } of [new FetchFailure(reason), new FetchFailure(reason, 'EPROTO')]) {
      const code = message.endsWith(')') ? ' (EPROTO)' : '';
      expect(read(message)).toEqual([message, sayOfFetch[reason](code).in('en'), sayOfFetch[reason](code).in('fr')]);
    }
  });

  it('keep their values', () => {
    expect(read(String(sayOfDelivery.responded(503)))).toEqual([
      'the address responded with 503',
      'The address responded with 503.',
      'L’adresse a répondu avec 503.',
    ]);
    expect(read('the host name was not found (ENOTFOUND)')).toEqual([
      'the host name was not found (ENOTFOUND)',
      'The host name was not found (ENOTFOUND).',
      'Le nom d’hôte est introuvable (ENOTFOUND).',
    ]);
  });

  it('of earlier versions, which no catalog has, are not read', () => {
    expect(deliveryMessage('the moon was in the way')).toBeNull();
  });
});
