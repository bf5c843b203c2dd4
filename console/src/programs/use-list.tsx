import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useRecords } from '../data/collections.ts';
import { NextRuns } from '../data/next-runs.tsx';
import { useOsConfig } from '../data/singles.ts';
import { programsText } from './text.ts';
import { type Use, usesOf } from './uses.ts';

/** Returns the uses of each program, by its id. Suspends. */
export function useUses(): ReadonlyMap<number, readonly Use[]> {
  const programs = useRecords('sequences');
  const regimens = useRecords('regimens');
  const events = useRecords('farm_events');
  const buttons = useRecords('pin_bindings');
  const { boot_sequence_id: startProgram } = useOsConfig();
  return useMemo(
    () =>
      usesOf({
        programs,
        regimens,
        events,
        buttons,
        startProgram,
      }),
    [programs, regimens, events, buttons, startProgram],
  );
}

/** The uses of a program, in words, and its next scheduled run. */
export function UseList({ id }: { readonly id: number }) {
  const text = programsText();
  const uses = useUses().get(id) ?? [];
  if (uses.length === 0) return <p>{text.notUsed}</p>;
  return (
    <>
      <NextRuns
        isWanted={({ sequence_id }) => sequence_id === id}
        isScheduled={uses.some(({ by }) => by === 'event' || by === 'regimen')}
        nameOf={({ regimen_name }) => regimen_name}
      />
      <ul>
        {uses.map(({ by, id: user, name }) => (
          <li key={`${by} ${user}`}>
            {by === 'program' ? (
              <Link to="/programs/$id" params={{ id: String(user) }}>
                {name}
              </Link>
            ) : by === 'event' ? (
              <Link to="/schedule" search={{ event: user }}>
                {text.uses[by](name)}
              </Link>
            ) : by === 'regimen' ? (
              <Link to="/regimens" search={{ id: user }}>
                {text.uses[by](name)}
              </Link>
            ) : (
              text.uses[by](name)
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
