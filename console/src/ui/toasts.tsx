import { Link, type LinkProps } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import {
  UNSTABLE_Toast as AriaToast,
  Text,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components';
import { Button, IconButton } from './button.tsx';
import { errorMessage } from './error-message.ts';
import { X } from './icons.tsx';
import { uiText } from './text.ts';
import styles from './toasts.module.css';

/** A link from a message to its subject. */
export type ToastLink = Pick<LinkProps, 'to' | 'params' | 'search'> & { readonly label: string };

/** A message that disappears by itself. */
export interface ToastMessage {
  readonly text: string;
  readonly tone?: 'plain' | 'problem';
  readonly link?: ToastLink | undefined;
  /** Whether it stays until it is closed. */
  readonly isLasting?: boolean;
  /** An action, such as undo. */
  readonly action?: { readonly label: string; readonly onPress: () => void };
}

/** How long a message stays, in ms; while it is pointed at or focused it stays longer. */
const shownTime = 10_000;
const maxShown = 4;

const queue = new ToastQueue<ToastMessage>({ maxVisibleToasts: maxShown });

/** Shows a message in a corner of any page; returns a function that removes it. */
export function showToast(message: ToastMessage): () => void {
  const key = queue.add(message, message.isLasting ? {} : { timeout: shownTime });
  return () => queue.close(key);
}

/** Shows the message of an error; nothing for one without a message, such as a canceled prompt. */
export function showProblem(error: unknown): void {
  const text = errorMessage(error);
  if (text !== '') showToast({ text, tone: 'problem' });
}

/** Keeps the height of the messages in a property of the page: content below them ends above them. */
function measure(region: HTMLElement | null): (() => void) | undefined {
  if (!region) return;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() =>
    style.setProperty('--messages-height', `calc(${region.offsetHeight}px + var(--space-4))`),
  );
  observer.observe(region);
  return () => {
    observer.disconnect();
    style.removeProperty('--messages-height');
  };
}

const subscribe = (listener: () => void): (() => void) => queue.subscribe(listener);
const hasMessages = (): boolean => queue.visibleToasts.length > 0;

/** The region of messages; once a page. The region comes with the first message: F6 leads only to regions that are there when they are mounted. */
export const Toasts = () => (useSyncExternalStore(subscribe, hasMessages) ? <Region /> : null);

const Region = () => (
  <ToastRegion ref={measure} queue={queue} className={styles.region ?? ''} aria-label={uiText().messages}>
    {({ toast }) => (
      <AriaToast toast={toast} className={`${styles.toast} ${toast.content.tone === 'problem' ? styles.problem : ''}`}>
        <ToastContent className={styles.content ?? ''}>
          <Text slot="title">{toast.content.text}</Text>{' '}
          <LinkOf {...toast.content} onFollow={() => queue.close(toast.key)} />
        </ToastContent>
        <span className={styles.buttons}>
          {toast.content.action ? (
            <Button
              tone="quiet"
              onPress={() => {
                queue.close(toast.key);
                toast.content.action?.onPress();
              }}
            >
              {toast.content.action.label}
            </Button>
          ) : null}
          <IconButton slot="close" label={uiText().close} icon={<X />} />
        </span>
      </AriaToast>
    )}
  </ToastRegion>
);

/** The link of a message, which would cover its subject on a phone: following it closes the message. */
function LinkOf({ link, onFollow }: Pick<ToastMessage, 'link'> & { readonly onFollow: () => void }) {
  if (!link) return null;
  const { label, ...target } = link;
  return (
    <Link
      {...target}
      onClick={({ altKey, ctrlKey, metaKey, shiftKey }) => {
        // With these keys the browser opens or saves it elsewhere, and this page stays.
        if (!(altKey || ctrlKey || metaKey || shiftKey)) onFollow();
      }}
    >
      {label}
    </Link>
  );
}
