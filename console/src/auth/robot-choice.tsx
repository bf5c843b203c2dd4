import { Label, Radio, RadioGroup } from 'react-aria-components';
import { type ServerInfo, useServer } from '../data/server.ts';
import styles from './auth.module.css';
import { RobotPicture } from './robot-picture.tsx';
import { authText } from './text.ts';

type RobotModel = ServerInfo['robots'][number];

/** A robot model that gardens are created for, or none: an empty garden. */
export type ProductLine = RobotModel['product_line'] | 'none';

const byModel = (robots: readonly RobotModel[]): ReadonlyMap<string, readonly RobotModel[]> => {
  const models = new Map<string, RobotModel[]>();
  for (const robot of robots) models.set(robot.model, [robot, ...(models.get(robot.model) ?? [])]);
  return models;
};

/** All robots that a garden can be created for, one to choose: a picture for each model, with its versions. */
export function RobotChoice({
  value,
  onChange,
}: {
  readonly value: ProductLine;
  readonly onChange: (line: ProductLine) => void;
}) {
  const text = authText();
  const { robots } = useServer();
  return (
    <RadioGroup value={value} onChange={(line) => onChange(line as ProductLine)} className={styles.models ?? ''}>
      <Label className={styles.hidden ?? ''}>{text.whichRobot}</Label>
      {[...byModel(robots)].map(([model, versions]) => (
        <div key={model} className={styles.model}>
          <RobotPicture model={model} />
          <strong>{model}</strong>
          <div className={styles.versions}>
            {versions.map(({ product_line, version }) => (
              <Radio
                key={product_line}
                value={product_line}
                aria-label={`${model} ${text.version(version)}`}
                className={styles.version ?? ''}
              >
                {version}
              </Radio>
            ))}
          </div>
        </div>
      ))}
      <div className={styles.model}>
        <Radio value="none" className={styles.version ?? ''}>
          {text.otherRobot}
        </Radio>
        <p>{text.otherRobotText}</p>
      </div>
    </RadioGroup>
  );
}
