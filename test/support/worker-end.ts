/** The resources that end with this process, be it by itself or by the SIGTERM with which vitest ends workers. */
const endings = new Set<() => void>();

const end = (): void => {
  for (const ending of endings) ending();
};

process.on('exit', end);
process.once('SIGTERM', () => {
  end();
  process.kill(process.pid, 'SIGTERM');
});

/** Has a function run at the end of this process. It must not wait. */
export function endsWithWorker(ending: () => void): void {
  endings.add(ending);
}
