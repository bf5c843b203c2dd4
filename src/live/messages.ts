import { messagesIn } from '../core/message.ts';

/** Messages of the API about robots, and to RabbitMQ. */
export const say = messagesIn({
  en: {
    noParameter: (name: string) => `The parameter ${name} is missing.`,
    noToken: 'The password is not a valid session token.',
    noRobot: 'No robot is connected.',
    silentRobot: (seconds: number) => `The robot has not responded within ${seconds} s.`,
    stopping: 'The server is stopping.',
    unexplained: 'The robot reported an error without an explanation.',
  },
  fr: {
    noParameter: (name) => `Le paramètre ${name} manque.`,
    noToken: 'Le mot de passe n’est pas un jeton de session valable.',
    noRobot: 'Aucun robot n’est connecté.',
    silentRobot: (seconds) => `Le robot n’a pas répondu en ${seconds} s.`,
    stopping: 'Le serveur s’arrête.',
    unexplained: 'Le robot a signalé une erreur sans l’expliquer.',
  },
});
