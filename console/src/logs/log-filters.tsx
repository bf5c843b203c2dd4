import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { choiceLabel } from '../data/choice-label.ts';
import { Button } from '../ui/button.tsx';
import { Select, TextField } from '../ui/fields.tsx';
import { ListFilter } from '../ui/icons.tsx';
import { type LogFilter, logKinds, logSpanNames } from './log-filter.ts';
import styles from './logs.module.css';
import { logsText } from './text.ts';

const logsRoute = getRouteApi('/garden/logs');

/** The filters of the logs, which are part of the address. */
export function LogFilters() {
  const text = logsText();
  const navigate = useNavigate();
  const filter = logsRoute.useSearch();
  const change = (next: LogFilter): void =>
    void navigate({ to: '/logs', search: { ...filter, ...next }, replace: true });
  // The address is updated after a short delay.
  const [typed, setTyped] = useState(filter.text ?? '');
  useEffect(() => {
    if (filter.text === undefined) setTyped('');
  }, [filter.text]);
  const kinds = filter.kinds ? filter.kinds.split(',') : [];
  // Where there is little room, the logs come first.
  const [isOpen, setOpen] = useState(() => matchMedia('(min-width: 641px)').matches);
  const count = Object.values(filter).filter((value) => value !== undefined).length;
  return (
    <div className={styles.filters}>
      <div>
        <Button aria-expanded={isOpen} icon={<ListFilter aria-hidden="true" />} onPress={() => setOpen(!isOpen)}>
          {text.filters(count)}
        </Button>
      </div>
      {isOpen ? (
        <>
          <div role="group" aria-label={text.kinds} className={styles.kinds}>
            <Button
              tone={kinds.length === 0 ? 'primary' : 'plain'}
              aria-pressed={kinds.length === 0}
              onPress={() => change({ kinds: undefined })}
            >
              {text.allKinds}
            </Button>
            {logKinds.map((kind) => {
              const isShown = kinds.includes(kind);
              const others = kinds.filter((each) => each !== kind);
              return (
                <Button
                  key={kind}
                  tone={isShown ? 'primary' : 'plain'}
                  aria-pressed={isShown}
                  onPress={() => change({ kinds: (isShown ? others : [...others, kind]).join(',') || undefined })}
                >
                  {choiceLabel('message_type', kind)}
                </Button>
              );
            })}
          </div>
          <div className={styles.fields}>
            <TextField
              label={text.text}
              type="search"
              value={typed}
              onChange={(value) => {
                setTyped(value);
                change({ text: value || undefined });
              }}
            />
            <Select
              label={text.level}
              value={filter.level ?? 0}
              onChange={(level) => change({ level: level || undefined })}
              choices={text.levels.map((label, value) => ({ value, label }))}
            />
            <Select
              label={text.span}
              value={filter.span ?? 'all'}
              onChange={(span) => change({ span: span === 'all' ? undefined : span })}
              choices={(['all', ...logSpanNames] as const).map((value) => ({ value, label: text.spans[value] }))}
            />
          </div>
        </>
      ) : null}
    </div>
  );
}
