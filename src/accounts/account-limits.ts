import type { Clock } from '../core/clock.ts';
import { throttled } from '../core/errors.ts';
import { HashedFixedWindow } from '../core/fixed-window.ts';
import { GrowingPauses } from '../core/growing-pauses.ts';
import { networkOf, siteOf } from '../core/ip-addresses.ts';
import { NetworkWindow } from '../core/network-window.ts';
import type { RateLimit } from '../core/rate-limit-table.ts';
import { passwordPauses, rateLimits } from '../core/rate-limit-table.ts';
import type { Call } from '../engine/route.ts';

/** An attempt with a password. */
export interface PasswordAttempt {
  /** The account, if the sent password may be its own. */
  readonly userId: number | null;
  /** Whether the client's network has signed in to the account before. */
  readonly isKnown: boolean;
  readonly email: string;
}

const byPerson = ({ limit, period }: RateLimit) => new HashedFixedWindow(limit, period);

/** Returns the key of a mailbox: mail to `a.da+garden@example.com` and `ada@example.com` usually arrives in the same one. */
function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const [name = ''] = email.slice(0, at).split('+');
  return `${name.replaceAll('.', '')}${email.slice(at)}`.toLowerCase();
}

/** Limits of requests without a session or with a password. In memory, as other limits [ADR 7]: a restart resets them. Known networks are rows. */
export class AccountLimits {
  readonly #clock: Clock;
  readonly #isOn: boolean;
  readonly #signUps = new NetworkWindow(rateLimits.signUps);
  readonly #unverified = new NetworkWindow(rateLimits.unverified);
  readonly #confirmationMails = byPerson(rateLimits.confirmationMails);
  readonly #resetMails = byPerson(rateLimits.resetMails);
  readonly #emailChanges = byPerson(rateLimits.emailChanges);
  readonly #invitations = byPerson(rateLimits.invitations);
  readonly #temporaryTokens = byPerson(rateLimits.temporaryTokens);
  readonly #pauses = {
    known: new GrowingPauses(passwordPauses.known),
    account: new GrowingPauses(passwordPauses.account),
    network: new GrowingPauses(passwordPauses.network),
    site: new GrowingPauses(passwordPauses.site),
  };

  constructor(clock: Clock, isOn: boolean) {
    this.#clock = clock;
    this.#isOn = isOn;
  }

  /** Whether a client is limited. [rule V6] */
  appliesTo({ isLocal }: Call): boolean {
    return this.#isOn && !isLocal;
  }

  /** Counts a sign-up. Throws 429. */
  countSignUp(client: Call): void {
    this.#count(client, this.#signUps, client.address);
  }

  /** Counts a request whose response shows whether an address has an account. Throws 429. */
  countUnverified(client: Call): void {
    this.#count(client, this.#unverified, client.address);
  }

  /** Counts a mail that asks to confirm an address. Throws 429. */
  countConfirmationMail(client: Call, email: string): void {
    this.#count(client, this.#confirmationMails, mailboxOf(email));
  }

  /** Counts a mail that asks to confirm an address; false at the limit. */
  allowsConfirmationMail(client: Call, email: string): boolean {
    return !this.appliesTo(client) || this.#confirmationMails.consume(mailboxOf(email), this.#clock.now());
  }

  /** Counts a change of address of a user. Throws 429. */
  countEmailChange(client: Call, userId: number, email: string): void {
    this.#count(client, this.#emailChanges, String(userId));
    // Not counted beyond the user's limit: no mail is sent, and it could block the sign-ups of others.
    this.countConfirmationMail(client, email);
  }

  /** Counts an invitation by a user. Throws 429. */
  countInvitation(client: Call, userId: number): void {
    this.#count(client, this.#invitations, String(userId));
  }

  /** Counts a temporary token of a user. Throws 429. */
  countTemporaryToken(client: Call, userId: number): void {
    this.#count(client, this.#temporaryTokens, String(userId));
  }

  /**
   * Counts a mail with a link for a password reset; false at the limit, since each of the earlier links still works. By
   * address, not by mailbox: requests for others in the same mailbox, which may have no account, must not use up the owner's.
   */
  allowsResetMail(client: Call, email: string): boolean {
    return !this.appliesTo(client) || this.#resetMails.consume(email, this.#clock.now());
  }

  /** Counts a wrong password in advance. Throws 429 during a pause. Returns a function that takes it back when the password was right. */
  beginAttempt(client: Call, { userId, isKnown, email }: PasswordAttempt): () => void {
    if (!this.appliesTo(client)) return () => undefined;
    const network = networkOf(client.address);
    // A robot that still has an old password must not pause the sign-ins of its owner.
    const kind = client.isRobot ? 'robot' : 'person';
    const counted: readonly (readonly [GrowingPauses, string])[] = isKnown
      ? [[this.#pauses.known, `${kind} ${userId} ${network}`]]
      : [
          [this.#pauses.account, `${kind} ${email}`],
          [this.#pauses.network, network],
          [this.#pauses.site, siteOf(client.address)],
        ];
    const now = this.#clock.now();
    const wait = Math.max(...counted.map(([pauses, key]) => pauses.wait(key, now)));
    if (wait > 0) throw throttled(wait);
    const added = counted.map(([pauses, key]) => ({ pauses, key, until: pauses.add(key, now) }));
    return () => {
      for (const { pauses, key, until } of added) pauses.remove(key, this.#clock.now(), until);
    };
  }

  #count(client: Call, window: Pick<HashedFixedWindow, 'consume' | 'wait'>, key: string): void {
    const now = this.#clock.now();
    if (this.appliesTo(client) && !window.consume(key, now)) throw throttled(window.wait(now));
  }
}
