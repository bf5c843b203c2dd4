import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decryptPush, receiverKeys, verifiedClaims } from '../../test/support/push-receiver.ts';
import { arePushKeys, encryptPush, pushIdentity } from './web-push.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

describe('Web Push', () => {
  it('is decrypted by a receiver that reads the example of RFC 8291', () => {
    const example = receiverKeys(bytes('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'), bytes('BTBZMqHH6r4Tts7J_aSIgg'));
    const message = bytes(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    );
    expect(decryptPush(message, example)).toBe('When I grow up, I want to be a watermelon');
    const keys = { p256dh: example.own.getPublicKey().toString('base64url'), auth: 'BTBZMqHH6r4Tts7J_aSIgg' };
    const [one, other] = [encryptPush('Carottes « mûres »', keys), encryptPush('Carottes « mûres »', keys)];
    expect(decryptPush(one, example)).toBe('Carottes « mûres »');
    // Another salt and another key each time.
    expect(one.subarray(0, 86)).not.toEqual(other.subarray(0, 86));
    expect(() => decryptPush(one, receiverKeys())).toThrow();
  });

  it('refuses keys that are none of a browser', () => {
    const { own, auth } = receiverKeys();
    const p256dh = own.getPublicKey().toString('base64url');
    expect(arePushKeys({ p256dh, auth: auth.toString('base64url') })).toBe(true);
    expect(arePushKeys({ p256dh, auth: 'short' })).toBe(false);
    expect(arePushKeys({ p256dh: p256dh.slice(0, -4), auth: auth.toString('base64url') })).toBe(false);
    expect(arePushKeys({ p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: auth.toString('base64url') })).toBe(
      false,
    );
  });

  it('is signed with a key that follows from the one of the server', () => {
    const pem = (): string =>
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const privatePem = pem();
    const [identity, again, other] = [{ privatePem }, { privatePem }, { privatePem: pem() }].map(pushIdentity);
    expect(identity?.publicKey).toBe(again?.publicKey);
    expect(identity?.publicKey).not.toBe(other?.publicKey);
    const headers = identity?.headers('https://push.example:8443/x/y?z', 'https://garden.example', 1_775_044_800_000);
    expect(verifiedClaims(headers?.authorization, identity?.publicKey ?? '')).toEqual({
      aud: 'https://push.example:8443',
      exp: 1_775_044_800 + 12 * 3600,
      sub: 'https://garden.example',
    });
  });
});
