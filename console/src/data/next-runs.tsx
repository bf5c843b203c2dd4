import { Link } from '@tanstack/react-router';
import { formatComing, useZone } from './garden-time.ts';
import { type Occurrence, useNextRuns } from './occurrences.ts';
import { dataText } from './text.ts';
import { dayAt } from './zoned-days.ts';

const maxShown = 3;

export interface NextRunsProps {
  readonly isWanted?: (run: Occurrence) => boolean;
  /** Whether there may be some. */
  readonly isScheduled?: boolean;
  /** The program, where the page does not name it. */
  readonly nameOf: (run: Occurrence) => string | null;
}

/** When the schedule runs something next, as links into the schedule; nothing if it does not. Suspends. */
export function NextRuns({ isWanted = () => true, isScheduled = true, nameOf }: NextRunsProps) {
  const text = dataText();
  const zone = useZone();
  const runs = useNextRuns(isWanted, isScheduled).slice(0, maxShown);
  return runs.map((run, index) => {
    const { at, farm_event_id, sequence_id } = run;
    const name = nameOf(run);
    const words = name === null ? formatComing(at, zone) : `${formatComing(at, zone)}, ${name}`;
    return (
      <p key={`${farm_event_id} ${sequence_id}`}>
        <Link to="/schedule" search={{ date: dayAt(at, zone), event: farm_event_id }}>
          {(index === 0 ? text.nextRun : text.laterRun)(words)}
        </Link>
      </p>
    );
  });
}
