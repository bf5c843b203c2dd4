import { X } from 'lucide-react';
import { FirstRobot, useHasNoRobot } from '../data/first-robot.tsx';
import { dataText } from '../data/text.ts';
import { IconButton } from '../ui/button.tsx';
import { useDraft } from '../ui/draft.ts';
import styles from './map.module.css';
import { mapText } from './text.ts';

/** Leads to a first robot, above the map of a garden that has none; until it is closed in this tab. */
export function NoRobot() {
  const hasNoRobot = useHasNoRobot();
  const [isClosed, setClosed] = useDraft('no robot', false);
  if (isClosed || !hasNoRobot) return null;
  return (
    <div className={styles.status}>
      <span>{dataText().noRobot}</span>
      <FirstRobot />
      <IconButton label={mapText().closePanel} icon={<X />} onPress={() => setClosed(true)} />
    </div>
  );
}
