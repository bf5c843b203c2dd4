import { Card, Page } from '../ui/page.tsx';
import styles from './auth.module.css';
import { RobotAddress } from './robot-address.tsx';
import { authText } from './text.ts';

/** Instructions to set a robot up for this server. */
export function RobotSetupPage() {
  const text = authText();
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
