import { memo, useId } from 'react';
import { choiceLabel } from '../data/choice-label.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { IconButton } from '../ui/button.tsx';
import { ChevronDown, ChevronRight } from '../ui/icons.tsx';
import type { LogEntry } from './log-filter.ts';
import styles from './logs.module.css';
import { logsText } from './text.ts';

export interface LogRowProps {
  readonly log: LogEntry;
  readonly isOpen: boolean;
  /** Gets the key of the log to show next in detail; null for none. */
  readonly onToggle: (key: string | null) => void;
}

/** A log, and its details where they are open. */
export const LogRow = memo(function LogRow({ log, isOpen, onToggle }: LogRowProps) {
  const text = logsText();
  const formatTime = useFormatTime();
  const id = useId();
  const { key, at, kind, message, verbosity, position, channels, version } = log;
  const facts = [
    [text.position, position.some((each) => each !== null) ? position.map((each) => each ?? '–').join(', ') : ''],
    [text.verbosity, String(verbosity)],
    [text.channels, channels.join(', ')],
    [text.version, version],
  ] as const;
  return (
    <li className={styles.row} data-kind={kind}>
      <span className={styles.kind}>{choiceLabel('message_type', kind)}</span>
      <span className={styles.message}>{message}</span>
      <time className={styles.time} dateTime={new Date(at).toISOString()}>
        {formatTime(at, { dateStyle: 'short', timeStyle: 'medium' })}
      </time>
      <IconButton
        label={text.details(message)}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        icon={isOpen ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
        onPress={() => onToggle(isOpen ? null : key)}
      />
      {isOpen ? (
        <dl id={id} className={styles.details}>
          {facts.map(([name, value]) =>
            value === '' ? null : (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
          )}
        </dl>
      ) : null}
    </li>
  );
});
