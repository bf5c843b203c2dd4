import type { AttackContext } from './attack-context.ts';
import type { Attempt } from './attempt.ts';
import type { Measurement } from './honest-user.ts';

/** A line of the report. */
export interface ReportLine {
  readonly attempt: Attempt;
  readonly context: AttackContext;
  readonly honest: Measurement;
  readonly hasFailed: boolean;
}

const describeAnswers = ({ answers }: AttackContext): string =>
  [...answers].map(([answer, count]) => `${answer} ×${count}`).join(', ');

const describeHonest = ({ requests, failures, slowest }: Measurement): string =>
  `${requests} requests, ${failures.length} failed, slowest ${Math.round(slowest)} ms`;

/** Returns the report as a table with columns of equal width. */
export function attackReport(lines: readonly ReportLine[], baseline: Measurement): string {
  const rows = [
    ['Attempt', 'Tries', 'Answers', 'Honest user', 'Verdict'],
    ['(nothing)', '0', '', describeHonest(baseline), ''],
    ...lines.map(({ attempt, context, honest, hasFailed }) => [
      attempt.name,
      String(context.made),
      describeAnswers(context),
      describeHonest(honest),
      hasFailed ? 'refused' : 'SUCCEEDED',
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
