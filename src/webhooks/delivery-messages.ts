import { messagesIn } from '../core/message.ts';
import { storedMessages } from '../core/stored-messages.ts';
import { sayOfFetch } from '../engine/fetch-messages.ts';

/** The reason why a delivery failed, besides the failures of fetches. The sentences are stored in the English of the API. */
export const sayOfDelivery = messagesIn({
  en: {
    responded: (status: number) => `The address responded with ${status}.`,
    nothingLeft: 'There is nothing to deliver any more.',
    switchedOff: 'The webhook was switched off.',
  },
  fr: {
    responded: (status) => `L’adresse a répondu avec ${status}.`,
    nothingLeft: 'Il n’y a plus rien à envoyer.',
    switchedOff: 'Le webhook a été désactivé.',
  },
  api: {
    responded: (status) => `the address responded with ${status}`,
    nothingLeft: 'there is nothing to deliver any more',
    switchedOff: 'the webhook was switched off',
  },
});

/** Reads a stored failure. */
export const deliveryMessage = storedMessages([sayOfFetch, sayOfDelivery]);
