import { catalogIn } from '../core/catalog.ts';
import type { Language } from '../core/languages.ts';

/**
 * What people are notified of: a message that a program shows (channel `toast`), an error of the robot, a failed assertion, a run
 * that was due while the robot was offline, and that it is offline. The order of switches.
 */
export const notificationKinds = ['message', 'error', 'assertion', 'missed_run', 'offline'] as const;

export type NotificationKind = (typeof notificationKinds)[number];

/** A notification to put into words. */
export interface WordedNotification {
  readonly kind: NotificationKind;
  readonly message: string;
  /** The local time of the garden. */
  readonly time: string;
}

const words = catalogIn({
  en: {
    error: (message: string) => `Error: ${message}`,
    assertion: (message: string) => message,
    message: (message: string) => message,
    missed_run: (name: string, time: string) => `“${name}” was due at ${time}, and the robot was offline.`,
    offline: (_message: string, time: string) => `The robot has been offline since ${time}.`,
    test: 'This is a test.',
  },
  fr: {
    error: (message) => `Erreur : ${message}`,
    assertion: (message) => message,
    message: (message) => message,
    missed_run: (name, time) => `« ${name} » était prévu le ${time}, et le robot était hors ligne.`,
    offline: (_message, time) => `Le robot est hors ligne depuis le ${time}.`,
    test: 'Ceci est un essai.',
  },
});

/** Returns a notification as a sentence; null: that of a test. */
export function sentenceOf(notification: WordedNotification | null, language: Language): string {
  const own = words(language);
  return notification ? own[notification.kind](notification.message, notification.time) : own.test;
}
