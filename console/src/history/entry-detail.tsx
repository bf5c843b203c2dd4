import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatMoment, useZone } from '../data/garden-time.ts';
import { useMayWrite } from '../data/singles.ts';
import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { Failure, Loading } from '../ui/failure.tsx';
import { Card } from '../ui/page.tsx';
import { Difference } from './difference.tsx';
import { changeQuery, isReversible } from './entries.ts';
import styles from './history.module.css';
import { actorName, entrySentence } from './sentences.ts';
import { historyText } from './text.ts';
import type { Undo } from './undoing.tsx';

export interface EntryDetailProps {
  readonly id: number;
  /** How many changes of its request are listed. */
  readonly listed: number;
  /** There may be more. */
  readonly hasMore: boolean;
  readonly onUndo: (what: Undo) => void;
}

/** One change: its author, the differences, and a button to revert it. */
export function EntryDetail({ id, listed, hasMore, onUndo }: EntryDetailProps) {
  const text = historyText();
  const zone = useZone();
  const mayWrite = useMayWrite();
  const { data: change, error, refetch } = useQuery(changeQuery(id));
  const back = (
    <Link to="/history" search={(before) => ({ ...before, entry: undefined })} resetScroll={false}>
      {text.back}
    </Link>
  );
  if (error)
    return (
      <Card actions={back}>
        <Failure error={error} retry={() => void refetch()} />
      </Card>
    );
  if (!change)
    return (
      <Card actions={back}>
        <Loading />
      </Card>
    );
  const isPart = listed > 1 || hasMore;
  return (
    <Card title={entrySentence(change)} actions={back}>
      <p className={styles.soft}>
        {actorName(change.actor)} · {formatMoment(change.at, zone)}
      </p>
      {isPart ? <p>{text.together(listed, hasMore)}</p> : null}
      {change.resource === 'Image' && change.action === 'deleted' ? <p>{text.lost}</p> : null}
      {change.action === 'kept' ? <p>{text.keptHint}</p> : null}
      {mayWrite ? (
        <Actions>
          {isReversible(change) ? <Button onPress={() => onUndo({ entry: change })}>{text.undoOne}</Button> : null}
          {isPart ? <Button onPress={() => onUndo({ request: change.request })}>{text.undoRequest}</Button> : null}
        </Actions>
      ) : null}
      <Difference change={change} />
      <Link to="/history" search={{ resource: change.resource, record: change.record_id, entry: id }}>
        {text.ofRecord}
      </Link>
    </Card>
  );
}
