import { getRouteApi, Link, Navigate, useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Label, Radio, RadioGroup } from 'react-aria-components';
import { api } from '../data/api.ts';
import { queryClient } from '../data/query-client.ts';
import { beginSession } from '../data/resumption.ts';
import { useIsConnected } from '../data/robot.ts';
import { maySignUp, type ServerInfo, useServer } from '../data/server.ts';
import { useSession } from '../data/session.ts';
import { sharedLabels } from '../data/shared-labels.ts';
import { singleQueries, useDevice } from '../data/singles.ts';
import { dataText } from '../data/text.ts';
import { Actions } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { Bot, Sprout } from '../ui/icons.tsx';
import { getLanguage } from '../ui/language.ts';
import { Card, Notice, Page } from '../ui/page.tsx';
import { useSubmission } from '../ui/submission.ts';
import { OtherProblems } from '../ui/submission-problems.tsx';
import { showProblem } from '../ui/toasts.tsx';
import { AccountForm } from './account-form.tsx';
import styles from './auth.module.css';
import { demoRobot } from './demo-page.tsx';
import { ownZone, storeOwnZone } from './own-zone.ts';
import { RobotAddress } from './robot-address.tsx';
import { authText } from './text.ts';

const setUpRoute = getRouteApi('/public/set-up');

/** The first run: an account, then a robot or a demo garden. Also for further accounts, which begin with the second step. */
export function SetUpPage() {
  const session = useSession();
  const { way } = setUpRoute.useSearch();
  if (!session) return <AccountStep />;
  if (way === 'connect') return <ConnectStep />;
  return <GardenSteps />;
}

/** Creates the first account of the server. */
function AccountStep() {
  const text = authText();
  const server = useServer();
  if (!server.is_new) return <Navigate to="/sign-in" search={{ next: '/set-up' }} replace />;
  return (
    <Page title={text.welcome} width="narrow">
      {maySignUp(server) ? (
        <AccountForm
          beginning={<p>{text.welcomeText}</p>}
          note={<p className={styles.soft}>{text.zone(ownZone())}</p>}
          onSession={beginSession}
        />
      ) : (
        <Notice tone="warn">{text.closedNew}</Notice>
      )}
      <ul className={styles.links}>
        {server.demo_gardens ? (
          <li>
            <Link to="/demo">{text.tryDemo}</Link>
          </li>
        ) : null}
        {maySignUp(server) ? null : (
          <li>
            <Link to="/sign-in">{text.signIn}</Link>
          </li>
        )}
      </ul>
    </Page>
  );
}

/** Creates the garden: of one's own robot, or of a virtual one to look at. */
function GardenSteps() {
  const { way } = setUpRoute.useSearch();
  const { account_seeded_at, timezone } = useDevice();
  const router = useRouter();
  const text = authText();
  const [line, setLine] = useState<ProductLine>(demoRobot);
  const submission = useSubmission();
  if (account_seeded_at !== null && !submission.isPending) return <Navigate to="/map" replace />;
  const keepZone = async (): Promise<void> => {
    if (timezone === null) await storeOwnZone();
  };
  const seed = (product_line: ProductLine, demo: boolean) =>
    submission.run(async () => {
      await keepZone();
      const language = getLanguage();
      await api.POST('/api/device/seed', { body: { product_line, demo, past: demo, language } });
      // The garden is made: that it has no robot is shown on its map.
      if (demo) await api.PUT('/api/virtual_robot', { body: { running: true } }).catch(showProblem);
      await router.navigate(demo ? { to: '/map' } : { to: '/set-up', search: { way: 'connect' } });
      await queryClient.invalidateQueries({ queryKey: singleQueries.device.queryKey });
    });
  const skip = (
    <p>
      <Link to="/map" onClick={() => void keepZone().catch(showProblem)}>
        {text.skip}
      </Link>
    </p>
  );
  const state = submission.isPending ? <Notice>{dataText().settingUp}</Notice> : <OtherProblems of={submission} />;
  if (way === 'robot')
    return (
      <Page title={text.whichRobot}>
        {state}
        <RobotChoice value={line} onChange={setLine} />
        <Actions>
          <Button tone="primary" onPress={() => void seed(line, false)} isDisabled={submission.isPending}>
            {text.goOn}
          </Button>
          <Button onPress={() => void router.navigate({ to: '/set-up' })}>{text.back}</Button>
        </Actions>
      </Page>
    );
  return (
    <Page title={text.howToBegin}>
      {state}
      <div className={styles.ways}>
        <Way icon={<Bot size={40} aria-hidden="true" />} text={text.haveRobotText}>
          <Button
            tone="primary"
            onPress={() => void router.navigate({ to: '/set-up', search: { way: 'robot' } })}
            isDisabled={submission.isPending}
          >
            {text.haveRobot}
          </Button>
        </Way>
        <Way icon={<Sprout size={40} aria-hidden="true" />} text={text.showMeText}>
          <Button tone="primary" onPress={() => void seed(demoRobot, true)} isDisabled={submission.isPending}>
            {text.showMe}
          </Button>
        </Way>
      </div>
      {skip}
    </Page>
  );
}

const Way = ({
  icon,
  text,
  children,
}: {
  readonly icon: ReactNode;
  readonly text: string;
  readonly children: ReactNode;
}) => (
  <section className={styles.way}>
    {icon}
    <p>{text}</p>
    {children}
  </section>
);

/** Waits for the robot to sign in. */
function ConnectStep() {
  const text = authText();
  const session = useSession();
  const router = useRouter();
  const isConnected = useIsConnected();
  return (
    <Page title={text.connect} width="narrow">
      <Card>
        <p>{text.connectText}</p>
        <dl className={styles.facts}>
          <dt>{sharedLabels().email}</dt>
          <dd>{session?.user.email}</dd>
          <dt>{sharedLabels().password}</dt>
          <dd>{text.yourPassword}</dd>
          <dt>{text.server}</dt>
          <dd>
            <RobotAddress />
          </dd>
        </dl>
      </Card>
      <Notice tone={isConnected ? 'success' : 'info'}>{isConnected ? text.arrived : text.waiting}</Notice>
      <Actions>
        <Button tone={isConnected ? 'primary' : 'plain'} onPress={() => void router.navigate({ to: '/map' })}>
          {text.toMap}
        </Button>
      </Actions>
      {isConnected ? null : <p className={styles.soft}>{text.later}</p>}
    </Page>
  );
}

type RobotModel = ServerInfo['robots'][number];

/** A robot model that gardens are created for, or none: an empty garden. */
type ProductLine = RobotModel['product_line'] | 'none';

const byModel = (robots: readonly RobotModel[]): ReadonlyMap<string, readonly RobotModel[]> => {
  const models = new Map<string, RobotModel[]>();
  for (const robot of robots) models.set(robot.model, [robot, ...(models.get(robot.model) ?? [])]);
  return models;
};

/** All robots that a garden can be created for, one to choose: a picture for each model, with its versions. */
function RobotChoice({
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
      {[...byModel(robots)].map(([model, versions]) => {
        const isChosen = versions.some(({ product_line }) => product_line === value);
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: its versions are radio buttons
          <div
            key={model}
            className={styles.model}
            data-chosen={isChosen || undefined}
            onClick={({ target }) => {
              const [newest] = versions;
              if (newest && !isChosen && !(target as Element).closest('label')) onChange(newest.product_line);
            }}
          >
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
        );
      })}
      <div className={styles.model} data-chosen={value === 'none' || undefined}>
        <Radio value="none" className={styles.version ?? ''}>
          {text.otherRobot}
        </Radio>
        <p>{text.otherRobotText}</p>
      </div>
    </RadioGroup>
  );
}

/** The beds of the models in decimeters, from above. */
const beds = {
  express: [30, 12],
  genesis: [30, 15],
  expressXl: [60, 24],
  genesisXl: [60, 30],
} as const;

/** Of the largest bed, with a margin. */
const frame = '-2 -2 64 34';

/** A drawing of a robot over its bed, all to the same scale. Decorative: its name stands beside it. */
function RobotPicture({ model }: { readonly model: string }) {
  const isLarge = /XL/.test(model);
  const isExpress = /Express/.test(model);
  const [width, height] = beds[isExpress ? (isLarge ? 'expressXl' : 'express') : isLarge ? 'genesisXl' : 'genesis'];
  const gantry = width * 0.62;
  return (
    <svg className={styles.picture} viewBox={frame} aria-hidden="true">
      <rect className={styles.soil} width={width} height={height} rx={1} />
      {isExpress
        ? null
        : [0.3, 0.5, 0.7].map((part) => (
            <circle key={part} className={styles.tool} cx={2.2} cy={height * part} r={1} />
          ))}
      {[0.2, 0.4, 0.6, 0.8].flatMap((x) =>
        [0.3, 0.7].map((y) => (
          <circle key={`${x} ${y}`} className={styles.leaf} cx={width * x + 1.5} cy={height * y} r={1.8} />
        )),
      )}
      <rect className={styles.beam} x={gantry} y={-1} width={1.6} height={height + 2} rx={0.6} />
      <rect className={styles.head} x={gantry - 1} y={height * 0.45} width={3.6} height={3.6} rx={0.8} />
    </svg>
  );
}
