import { messagesIn } from '../core/message.ts';

/** Messages of the API about robots, and to RabbitMQ. */
export const say = messagesIn({
  en: {
    noParameter: (name: string) => `The parameter ${name} is missing.`,
    noToken: 'The password is not a valid session token.',
    stopping: 'The server is stopping.',
  },
  fr: {
    noParameter: (name) => `Le paramètre ${name} manque.`,
    noToken: 'Le mot de passe n’est pas un jeton de session valable.',
    stopping: 'Le serveur s’arrête.',
  },
});
