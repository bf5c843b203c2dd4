import { Card, Page } from '../ui/page.tsx';
import styles from './doors.module.css';
import { RobotAddress } from './robot-address.tsx';
import { doorText } from './text.ts';

/** How a robot is set up for this server. */
export function RobotSetupPage() {
  const text = doorText();
  return (
    <Page title={text.robotSetup} width="narrow">
      <Card>
        <ol className={styles.steps}>
          {text.robotSteps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <RobotAddress />
      </Card>
      <p>{text.reach}</p>
    </Page>
  );
}
