import { messagesIn } from '../core/message.ts';

/** Messages of the operation of the server to people. */
export const say = messagesIn({
  en: {
    ownAccount: 'You cannot do this to your own account.',
    confirmed: 'Confirmed cannot be taken back.',
    backupRuns: 'A backup is already being created.',
    demoFeedback: 'A demo account cannot send feedback. Create an account first.',
    feedbackPerDay: (count: number) => `At most ${count} messages can be sent per day. Please try again tomorrow.`,
    unread: (count: number) => `The operator has not read your last ${count} messages yet. Please try again later.`,
  },
  fr: {
    ownAccount: 'Vous ne pouvez pas faire cela à votre propre compte.',
    confirmed: 'Une confirmation ne peut pas être retirée.',
    backupRuns: 'Une sauvegarde est déjà en cours.',
    demoFeedback: 'Un compte de démonstration ne peut pas envoyer de message. Créez d’abord un compte.',
    feedbackPerDay: (count) => `Au plus ${count} messages par jour. Réessayez demain.`,
    unread: (count) => `L’exploitant n’a pas encore lu vos ${count} derniers messages. Réessayez plus tard.`,
  },
});
