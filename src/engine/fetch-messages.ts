import { messagesIn } from '../core/message.ts';

/** The reason why a fetch failed; `code`: nothing, or an error code in parentheses, after a space. */
export const sayOfFetch = messagesIn({
  en: {
    address: (code: string) => `The address does not begin with http:// or https://${code}.`,
    private: (code: string) =>
      `The address is in a private network, which the server’s setting FETCH_ALLOW does not open${code}.`,
    redirect: (code: string) => `The redirects of the address cannot be followed${code}.`,
    unresolved: (code: string) => `The host name was not found${code}.`,
    refused: (code: string) => `The host refused the connection${code}.`,
    timeout: (code: string) => `The host did not respond in time${code}.`,
    offline: (code: string) => `The host cannot be reached${code}.`,
    other: (code: string) => `The address could not be fetched${code}.`,
  },
  fr: {
    address: (code) => `L’adresse ne commence pas par http:// ou https://${code}.`,
    private: (code) => `L’adresse est dans un réseau privé, que le réglage FETCH_ALLOW du serveur n’ouvre pas${code}.`,
    redirect: (code) => `Les redirections de l’adresse ne peuvent pas être suivies${code}.`,
    unresolved: (code) => `Le nom d’hôte est introuvable${code}.`,
    refused: (code) => `L’hôte a refusé la connexion${code}.`,
    timeout: (code) => `L’hôte n’a pas répondu à temps${code}.`,
    offline: (code) => `L’hôte ne peut pas être joint${code}.`,
    other: (code) => `L’adresse n’a pas pu être lue${code}.`,
  },
  api: {
    address: (code) => `the URL does not begin with http:// or https://${code}`,
    private: (code) => `the host is in a private network, which FETCH_ALLOW does not open${code}`,
    redirect: (code) => `the redirects of the URL cannot be followed${code}`,
    unresolved: (code) => `the host name was not found${code}`,
    refused: (code) => `the host refused the connection${code}`,
    timeout: (code) => `the host did not respond in time${code}`,
    offline: (code) => `the host cannot be reached${code}`,
    other: (code) => `the URL could not be fetched${code}`,
  },
});
