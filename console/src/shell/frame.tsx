import { useQuery } from '@tanstack/react-query';
import { type ErrorComponentProps, Link, Outlet, useLocation, useMatches } from '@tanstack/react-router';
import { type ReactNode, Suspense, useRef, useState } from 'react';
import { useLandmark } from 'react-aria/useLandmark';
import { useLiveState } from '../data/live.ts';
import { PasswordPrompt } from '../data/password-prompt.tsx';
import { useRobotPart } from '../data/robot.ts';
import { isActive, useRun } from '../data/runs.ts';
import { ownGarden, singleQueries } from '../data/singles.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Part } from '../ui/failure.tsx';
import { CircleDot, Ellipsis, Lock, LogOut, Unplug } from '../ui/icons.tsx';
import { useLanguage } from '../ui/language.ts';
import { later } from '../ui/later.ts';
import { useIsPageShown } from '../ui/page-shown.ts';
import { useRootMark } from '../ui/root-mark.ts';
import { uiText } from '../ui/text.ts';
import { formatInstant } from '../ui/time-format.ts';
import { Toasts } from '../ui/toasts.tsx';
import styles from './frame.module.css';
import { type Entry, useNavigation } from './navigation.ts';
import { PageAnnouncement } from './page-announcement.tsx';
import { PageFailure } from './page-failure.tsx';
import { useScrollPlace } from './scroll-place.ts';
import { Search } from './search.tsx';
import { StopBanner } from './stop-banner.tsx';
import { StopButton } from './stop-button.tsx';
import { shellText } from './text.ts';

// If they cannot be loaded, they are omitted until a reload; the rest of the frame stays.
const Notices = later(async () => (await import('./notices.tsx').catch(() => ({ Notices: () => null }))).Notices);
const RunBanner = later(
  async () => (await import('./run-banner.tsx').catch(() => ({ RunBanner: () => null }))).RunBanner,
);

const EntryLink = ({
  entry: { to, label, icon: Icon },
  onPress,
}: {
  readonly entry: Entry;
  readonly onPress?: () => void;
}) => (
  <Link to={to} className={styles.link} activeProps={{ className: styles.active ?? '' }} onClick={onPress}>
    <Icon size={20} aria-hidden="true" />
    <span>{label}</span>
  </Link>
);

interface FrameProps {
  /** The content instead of a route's. */
  readonly children?: ReactNode;
}

/** The frame of a garden's pages: navigation, the state of the robot, and the emergency stop. */
export function GardenFrame({ children = <Outlet /> }: FrameProps) {
  useLanguage();
  const text = shellText();
  const entries = useNavigation();
  // Neither suspends nor throws: the frame with the emergency stop stays if requests fail.
  const garden = ownGarden(useQuery(singleQueries.gardens).data ?? []);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const path = useLocation({ select: ({ pathname }) => pathname });
  const isBehindMore = !entries.some(({ to, isMain }) => isMain && path.startsWith(to));
  const main = useRef<HTMLElement>(null);
  useScrollPlace('main', main);
  // F6 goes from the messages back to the element that had the focus.
  const { landmarkProps } = useLandmark({ role: 'main' }, main);
  useRootMark('frame');
  const isFilling = useMatches().some(({ staticData }) => staticData.isFilling);
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        {text.skip}
      </a>
      <header className={styles.head}>
        <div className={styles.top}>
          <div className={styles.title}>
            <Link to="/map" className={styles.brand}>
              <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width={28} height={28} />
              <span className={styles.gardenName}>{garden?.name ?? 'Potager'}</span>
            </Link>
            <RobotState />
          </div>
          {/* Before the search, which stays in its place when they come. */}
          {useIsPageShown() ? (
            <Suspense>
              <Notices />
            </Suspense>
          ) : null}
          <Search />
          <StopButton />
        </div>
        <StopBanner />
        {useIsPageShown() ? (
          <Suspense>
            <RunBanner />
          </Suspense>
        ) : null}
        {garden?.role === 'viewer' ? <p className={styles.viewer}>{text.viewer}</p> : null}
      </header>
      <PageAnnouncement path={path} />
      <nav className={styles.rail} aria-label={text.navigation}>
        {entries.map((entry) => (
          <EntryLink key={entry.to} entry={entry} />
        ))}
        <div className={styles.railEnd}>
          <Link to="/sign-out" className={styles.link}>
            <LogOut size={20} aria-hidden="true" />
            <span>{text.signOut}</span>
          </Link>
        </div>
      </nav>
      <main
        {...landmarkProps}
        ref={main}
        id="main"
        data-scroll-restoration-id="main"
        tabIndex={-1}
        className={`${styles.main} ${isFilling ? styles.filling : ''}`}
      >
        <Part>{children}</Part>
      </main>
      <nav className={styles.bottom} aria-label={text.navigation}>
        {entries
          .filter(({ isMain }) => isMain)
          .map((entry) => (
            <EntryLink key={entry.to} entry={entry} />
          ))}
        <button
          type="button"
          className={`${styles.link} ${isBehindMore ? styles.active : ''}`}
          aria-current={isBehindMore ? 'true' : undefined}
          aria-haspopup="dialog"
          onClick={() => setMenuOpen(true)}
        >
          <Ellipsis size={20} aria-hidden="true" />
          <span>{text.more}</span>
        </button>
      </nav>
      <Dialog title={text.more} isOpen={isMenuOpen} onClose={() => setMenuOpen(false)}>
        <div className={styles.menu}>
          {entries.map((entry) => (
            <EntryLink key={entry.to} entry={entry} onPress={() => setMenuOpen(false)} />
          ))}
          <Link to="/sign-out" className={styles.link}>
            <LogOut size={20} aria-hidden="true" />
            <span>{text.signOut}</span>
          </Link>
        </div>
      </Dialog>
      <PasswordPrompt />
      <Toasts />
    </div>
  );
}

/** Shown if the frame itself failed: the emergency stop still works. */
export const GardenFailure = (props: ErrorComponentProps) => (
  <>
    <header className={styles.top}>
      <span className={styles.brand}>Potager</span>
      <StopButton />
    </header>
    <StopBanner />
    <main id="main">
      <PageFailure {...props} />
    </main>
    <Toasts />
  </>
);

/** The frame of pages without a session. */
export function PublicFrame({ children = <Outlet /> }: FrameProps) {
  useLanguage();
  const text = shellText();
  return (
    <div className={styles.public}>
      <header className={styles.publicTop}>
        <a className={styles.brand} href={import.meta.env.BASE_URL}>
          <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width={28} height={28} />
          <span>Potager</span>
        </a>
      </header>
      <main id="main" className={styles.publicMain}>
        <Part>{children}</Part>
      </main>
      <footer className={styles.publicEnd}>
        <Link to="/robot-setup">{text.robotSetup}</Link>
        <a href="/docs">{text.docs}</a>
      </footer>
      <Toasts />
    </div>
  );
}

/** Says whether the page and the robot are connected; the state of the robot leads to its page. */
function RobotState() {
  const live = useLiveState();
  const run = useRun();
  const robot = useRobotPart(({ connected, status }) => ({
    connected,
    isKnown: status !== null,
    isLocked: status?.locked === true,
    isBusy: status?.busy === true,
    lastHeard: status?.received_at ?? null,
  }));
  const text = shellText();
  if (live !== 'live')
    return (
      <span role="status" className={styles.stateBox}>
        <span className={`${styles.state} ${live === 'offline' ? styles.stateWarn : ''}`}>
          <Unplug size={16} aria-hidden="true" />
          {live === 'offline' ? text.offline : text.connecting}
        </span>
      </span>
    );
  if (!robot) return null;
  const { connected, isKnown, isLocked, lastHeard } = robot;
  // Between two places as well.
  const isBusy = robot.isBusy || (run !== undefined && isActive(run));
  const [word, look, Icon] = !connected
    ? [isKnown ? text.robotAway : text.robotUnknown, '', Unplug]
    : isLocked
      ? [text.robotLocked, styles.stateDanger, Lock]
      : [isBusy ? text.robotBusy : text.robotReady, styles.stateGood, CircleDot];
  return (
    <span role="status" className={styles.stateBox}>
      <Link
        to="/robot"
        className={`${styles.state} ${look}`}
        // The words for a robot that is away name it.
        aria-label={connected ? uiText().pair(text.robot, word) : undefined}
      >
        <Icon size={16} aria-hidden="true" />
        {word}
        {!connected && lastHeard ? <Since at={lastHeard} /> : null}
      </Link>
    </span>
  );
}

/** When the robot was last heard, in the garden's time zone: the time of today, else the day. */
function Since({ at }: { readonly at: string }) {
  const device = useQuery(singleQueries.device).data;
  if (!device) return null;
  const zone = device.timezone ?? 'UTC';
  const dayOf = (each: string | number): string => formatInstant(each, zone, { dateStyle: 'medium' });
  const day = dayOf(at);
  const shown = day === dayOf(Date.now()) ? formatInstant(at, zone, { timeStyle: 'short' }) : day;
  return <span className={styles.since}>{shellText().since(shown)}</span>;
}
