import { Button } from '../ui/button.tsx';
import styles from './map.module.css';
import { mapText } from './text.ts';
import { endWatering, useWatering } from './watering.ts';

/** The progress of watering. */
export function WateringStatus() {
  const text = mapText();
  const watering = useWatering();
  if (!watering) return null;
  const { state, watered, total, plant, problem, isStopping } = watering;
  return (
    <div className={styles.watering}>
      <span role="status">
        {state === 'running'
          ? text.wateringNow(watered + 1, total, plant)
          : state === 'failed'
            ? text.wateringFailed(plant, problem ?? '')
            : text.wateringDone(watered, total)}
      </span>
      <Button isDisabled={isStopping} onPress={endWatering}>
        {state === 'running' ? text.stopWatering : text.closePanel}
      </Button>
      <progress max={total} value={watered} aria-label={text.wateringProgress} />
    </div>
  );
}
