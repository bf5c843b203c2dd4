import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import { deleteRecords } from '../data/changes.ts';
import { listQuery, type RecordOf } from '../data/collections.ts';
import type { components } from '../data/generated/api.ts';
import { isGuest, useSession } from '../data/session.ts';
import { ownGarden, singleQueries } from '../data/singles.ts';
import { Actions } from '../ui/actions.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Entries, Entry } from '../ui/entries.tsx';
import { Bell } from '../ui/icons.tsx';
import { showProblem } from '../ui/toasts.tsx';
import { Inbox, useInbox, useNotificationToasts } from './inbox.tsx';
import styles from './notices.module.css';
import { noticesText, serverNews } from './notices-text.ts';

type Alert = RecordOf<'alerts'>;
type Bulletin = components['schemas']['GlobalBulletin'];

/** THE list of links of notices, by their subject. News has an address of its own. */
const pages = {
  'api.user.not_welcomed': { to: '/map', search: { panel: 'plant' } },
  'api.documentation.unread': null,
  'api.tour.not_taken': { to: '/robot', search: {} },
  'api.seed_data.missing': { to: '/set-up', search: {} },
  'api.demo_account.in_use': { to: '/sign-up', search: {} },
  'api.bulletin.unread': null,
} as const satisfies Readonly<Record<Alert['problem_tag'], object | null>>;

/** The same for news that the server writes, by the slug; the console has it in its languages. */
const bulletinPages = {
  'webhook-switched-off': { to: '/account', search: { part: 'webhooks' } },
  'buy-a-farmbot': null,
} as const;

/** Returns the slug of news that the server wrote; null for an operator's news, which are shown as they are, also under such a slug. */
const serverSlug = ({ slug, title, content }: Bulletin): keyof typeof bulletinPages | null =>
  Object.hasOwn(bulletinPages, slug) && serverNews[slug]?.title === title && serverNews[slug].text === content
    ? (slug as keyof typeof bulletinPages)
    : null;

/** The page on which the user leaves an example garden for a new one. */
const afresh = { to: '/account', search: { part: 'end' } } as const;

const ownersOnly: ReadonlySet<string> = new Set(['/set-up', '/account']);

/** The button of the notices for people of this garden and of what the robot said, and their list; nothing where there are none. Never suspends. */
export function Notices() {
  const text = noticesText();
  const [isOpen, setOpen] = useState(false);
  const alerts = useQuery(listQuery('alerts')).data ?? [];
  const role = ownGarden(useQuery(singleQueries.gardens).data ?? [])?.role;
  const { entries, unseen } = useInbox();
  useNotificationToasts();
  const close = (): void => setOpen(false);
  // Viewers cannot follow notices, and dismissing one would hide it from all.
  const editor = role === 'viewer' ? undefined : role;
  const shown = role === 'viewer' ? [] : alerts;
  const count = shown.length + unseen;
  if (shown.length === 0 && entries.length === 0 && !isOpen) return null;
  return (
    <>
      <div className={styles.bell}>
        <IconButton label={text.count(count)} icon={<Bell />} onPress={() => setOpen(true)} />
        {count > 0 ? (
          <span className={styles.badge} aria-hidden="true">
            {count}
          </span>
        ) : null}
      </div>
      <Dialog title={text.title} isOpen={isOpen} onClose={close}>
        <Inbox onLeave={close} />
        {shown.length > 0 ? <h3 className={styles.part}>{text.hints}</h3> : null}
        <Entries label={text.hints}>
          {[...shown]
            .sort((a, b) => a.priority - b.priority || a.id - b.id)
            .map((alert) => (
              <Notice key={alert.id} alert={alert} role={editor} onLeave={close} />
            ))}
        </Entries>
      </Dialog>
    </>
  );
}

interface NoticeProps {
  readonly alert: Alert;
  readonly role: 'gardener' | 'owner' | undefined;
  readonly onLeave: () => void;
}

function Notice({ alert: { id, problem_tag, slug }, role, onLeave }: NoticeProps) {
  const text = noticesText();
  const session = useSession();
  const isNews = problem_tag === 'api.bulletin.unread';
  const { data, isLoading } = useQuery({
    queryKey: ['bulletin', slug],
    queryFn: () => bodyOf(api.GET('/api/global_bulletins/{slug}', { params: { path: { slug } } })),
    enabled: isNews,
  });
  // The garden of an account may be filled like a demo's, without being one.
  const isExample = problem_tag === 'api.demo_account.in_use' && session !== null && !isGuest(session);
  const own = data ? serverSlug(data) : null;
  const news = own ? null : data;
  const words = isExample ? text.example : own ? text.bulletins[own] : text.notices[problem_tag];
  const page = isExample ? afresh : own ? bulletinPages[own] : pages[problem_tag];
  const title = news?.title ?? words.title;
  return (
    <Entry title={title}>
      {isLoading ? null : <p className={styles.words}>{news ? inBold(news.content) : words.text}</p>}
      <Actions>
        {page && (role === 'owner' || !ownersOnly.has(page.to)) ? (
          <Link {...page} className={styles.link} onClick={onLeave}>
            {words.action}
          </Link>
        ) : null}
        {problem_tag === 'api.documentation.unread' ? (
          <a href="/docs" className={styles.link}>
            {words.action}
          </a>
        ) : null}
        {!page && data?.href && isAddress.test(data.href) ? (
          <a href={data.href} className={styles.link} rel="noreferrer" target="_blank">
            {own ? words.action : (data.href_label ?? data.href)}
          </a>
        ) : null}
        {role === undefined ? null : (
          <Button aria-label={text.dismissOf(title)} onPress={() => deleteRecords('alerts', [id]).catch(showProblem)}>
            {text.dismiss}
          </Button>
        )}
      </Actions>
    </Entry>
  );
}

/** Schemes of links in news of the operator: never a script. */
const isAddress = /^(?:https?:\/\/|\/(?!\/))/;

/** `**words**` of a text in bold. */
const inBold = (text: string) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move.
  text.split('**').map((part, index) => (index % 2 === 1 ? <strong key={index}>{part}</strong> : part));
