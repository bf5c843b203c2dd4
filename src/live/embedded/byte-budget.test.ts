import { describe, expect, it } from 'vitest';
import { ByteBudget } from './byte-budget.ts';

function budget(most: number) {
  const real = new Map<string, number>();
  const gone: string[] = [];
  const subject = new ByteBudget<string>(
    most,
    (name) => real.get(name) ?? 0,
    (name) => gone.push(name),
  );
  const report = (name: string, bytes: number) => {
    real.set(name, bytes);
    subject.report(name, bytes);
  };
  return { real, gone, subject, report };
}

describe('a budget of bytes', () => {
  it('lets those go that hold most, until it is enough', () => {
    const { gone, report, subject } = budget(100);
    report('a', 30);
    report('b', 40);
    report('c', 30);
    expect(gone).toEqual([]);
    report('d', 35);
    expect(gone).toEqual(['b']);
    expect(subject.total).toBe(95);
    report('a', 80);
    expect(gone).toEqual(['b', 'a']);
    expect(subject.total).toBe(65);
  });

  it('measures anew before anybody has to go', () => {
    const { gone, real, report, subject } = budget(100);
    report('a', 90);
    real.set('a', 0);
    report('b', 50);
    expect(gone).toEqual([]);
    expect(subject.total).toBe(50);
  });

  it('forgets who holds nothing', () => {
    const { report, subject } = budget(100);
    report('a', 90);
    report('a', 0);
    expect(subject.total).toBe(0);
  });
});
