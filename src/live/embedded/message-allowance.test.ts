import { describe, expect, it } from 'vitest';
import { brokerLimits } from './broker-limits.ts';
import { MessageAllowance } from './message-allowance.ts';

function allowance() {
  const time = { now: 1_000_000 };
  return { time, allowance: new MessageAllowance(brokerLimits, { now: () => time.now }) };
}

/** How many messages pass before the client has to wait. */
function drain(subject: MessageAllowance, cost = 1): number {
  let count = 0;
  while (subject.takes(cost)) count++;
  return count;
}

describe('the allowance of messages', () => {
  it('admits 1,000 at once and 100 a second after that', () => {
    const { time, allowance: subject } = allowance();
    expect(drain(subject)).toBe(1000);
    expect(subject.wait()).toBe(10);
    time.now += 10;
    expect(drain(subject)).toBe(1);
    time.now += 1000;
    expect(drain(subject)).toBe(100);
  });

  it('never holds more than 1,000', () => {
    const { time, allowance: subject } = allowance();
    drain(subject);
    time.now += 24 * 60 * 60_000;
    expect(drain(subject)).toBe(1000);
  });

  it('gives credit for what costs more than is left', () => {
    const { time, allowance: subject } = allowance();
    expect(drain(subject, 129)).toBe(8);
    expect(subject.wait()).toBe(330);
    time.now += 320;
    expect(drain(subject)).toBe(0);
    time.now += 10;
    expect(drain(subject)).toBe(1);
  });

  it('does not mind a clock that goes backwards', () => {
    const { time, allowance: subject } = allowance();
    drain(subject);
    time.now -= 60_000;
    expect(subject.wait()).toBe(10);
  });
});
