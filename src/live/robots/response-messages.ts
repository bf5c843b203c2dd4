import { messagesIn } from '../../core/message.ts';

/** The messages for a robot that does not respond, or explains nothing. */
export const sayOfResponse = messagesIn({
  en: {
    noRobot: 'No robot is connected.',
    silentRobot: (seconds: number) => `The robot has not responded within ${seconds} s.`,
    unexplained: 'The robot reported an error without an explanation.',
  },
  fr: {
    noRobot: 'Aucun robot n’est connecté.',
    silentRobot: (seconds) => `Le robot n’a pas répondu en ${seconds} s.`,
    unexplained: 'Le robot a signalé une erreur sans l’expliquer.',
  },
});
