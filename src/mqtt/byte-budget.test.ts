import { describe, expect, it } from 'vitest';
import { ByteBudget } from './byte-budget.ts';

function budget(limit: number) {
  const real = new Map<string, number>();
  const evicted: string[] = [];
  const subject = new ByteBudget<string>(
    limit,
    (name) => real.get(name) ?? 0,
    (name) => evicted.push(name),
  );
  const report = (name: string, bytes: number) => {
    real.set(name, bytes);
    subject.report(name, bytes);
  };
  return { real, evicted, subject, report };
}

describe('a byte budget', () => {
  it('evicts the largest holders until the total is within the limit', () => {
    const { evicted, report, subject } = budget(100);
    report('a', 30);
    report('b', 40);
    report('c', 30);
    expect(evicted).toEqual([]);
    report('d', 35);
    expect(evicted).toEqual(['b']);
    expect(subject.total).toBe(95);
    report('a', 80);
    expect(evicted).toEqual(['b', 'a']);
    expect(subject.total).toBe(65);
  });

  it('measures all holders before it evicts one', () => {
    const { evicted, real, report, subject } = budget(100);
    report('a', 90);
    real.set('a', 0);
    report('b', 50);
    expect(evicted).toEqual([]);
    expect(subject.total).toBe(50);
  });

  it('removes a holder of 0 bytes', () => {
    const { report, subject } = budget(100);
    report('a', 90);
    report('a', 0);
    expect(subject.total).toBe(0);
  });
});
