import { useState } from 'react';
import { changeFields } from '../data/setting-parts.ts';
import { useFirmwareConfig } from '../data/singles.ts';
import { undoable } from '../data/undo.ts';
import { NumberField } from '../ui/fields.tsx';
import { Card } from '../ui/page.tsx';
import { showProblem } from '../ui/toasts.tsx';
import { type Axis, axes } from './control.ts';
import styles from './robot.module.css';
import { setupText } from './setup-text.ts';
import { Task } from './task.tsx';

/** The lengths of the axes, which the robot finds, or a person enters in mm. */
export const AxesCard = () => {
  const text = setupText();
  return (
    <Card title={text.axes}>
      <p className={styles.soft}>{text.axesHint}</p>
      {axes.map((axis) => (
        <AxisLength key={axis} axis={axis} />
      ))}
    </Card>
  );
};

function AxisLength({ axis }: { readonly axis: Axis }) {
  const text = setupText();
  const name = axis.toUpperCase();
  const config = useFirmwareConfig();
  const steps = config[`movement_axis_nr_steps_${axis}`];
  const stepsPerMm = config[`movement_step_per_mm_${axis}`];
  const [problem, setProblem] = useState<string>();
  const noticesEnd = config[`encoder_enabled_${axis}`] === 1 || config[`movement_enable_endpoints_${axis}`] === 1;
  const change = (length: number): void => {
    const isValid = length >= 0;
    setProblem(isValid ? undefined : text.noLength);
    if (!isValid) return;
    const update = { [`movement_axis_nr_steps_${axis}`]: Math.round(length * stepsPerMm) };
    void undoable(text.lengthSaved(name, length), (label) => changeFields('firmware', update, label)).catch(
      showProblem,
    );
  };
  return (
    <section className={styles.part} aria-label={text.axis(name)}>
      <h3>{text.axis(name)}</h3>
      <NumberField
        label={text.length}
        unit="mm"
        value={stepsPerMm > 0 ? Math.round((steps / stepsPerMm) * 10) / 10 : Number.NaN}
        onChange={change}
        minValue={0}
        isDisabled={!(stepsPerMm > 0)}
        hint={steps === 0 ? text.lengthUnknown : null}
        problem={problem}
      />
      {noticesEnd ? null : <p className={styles.soft}>{text.blind(name)}</p>}
      <Task
        actions={[
          {
            word: text.findHome(name),
            program: { kind: 'find_home', args: { axis, speed: 100 } },
            isDisabled: !noticesEnd,
          },
          {
            word: text.findLength(name),
            program: { kind: 'calibrate', args: { axis } },
            isDisabled: !noticesEnd,
          },
        ]}
      />
    </section>
  );
}
