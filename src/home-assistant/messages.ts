import { messagesIn } from '../core/message.ts';

/** Messages of the switch of Home Assistant. */
export const say = messagesIn({
  en: {
    notConfigured: 'The operator of this server has not set up Home Assistant.',
    notAllowed: 'An administrator of this server must allow it for this garden first.',
    otherBroker: 'On this server, Home Assistant does not connect to the built-in message broker.',
    off: 'Switch Home Assistant on for this garden first.',
  },
  fr: {
    notConfigured: 'L’exploitant de ce serveur n’a pas configuré Home Assistant.',
    notAllowed: 'Un administrateur de ce serveur doit d’abord l’autoriser pour ce jardin.',
    otherBroker: 'Sur ce serveur, Home Assistant ne se connecte pas au courtier de messages intégré.',
    off: 'Activez d’abord Home Assistant pour ce jardin.',
  },
});
