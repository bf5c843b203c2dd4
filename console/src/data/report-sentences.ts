import type { Words } from './garden-sentences.ts';

/** Messages of the report of an import. */
const ofImports: Readonly<Record<string, Words>> = {
  'A record must have an id.': 'Un élément doit avoir un numéro.',
  'A record must be an object.': 'Un élément doit être un objet.',
  'There is another record with the id {}.': 'Un autre élément a le numéro {}.',
  'There are two records with {}.': 'Deux éléments ont la même valeur : {}.',
  'There may be at most {} {}, not {}.': 'Au plus {0} éléments, pas {2} ({1}).',
  'An import may contain at most {} {}, not {}.': 'Un import contient au plus {0} éléments, pas {2} ({1}).',
  'A sequence may have at most {} steps, not {}.': {
    en: 'A program may have at most {} steps, not {}.',
    fr: 'Un programme peut avoir au plus {} étapes, pas {}.',
  },
  'The document has no {}.': 'Le fichier n’a pas cet élément : {}.',
  'The document has no {}: {} was cleared.': 'Le fichier n’a pas cet élément : {}. « {} » a été vidé.',
  'This requires {}, which was omitted.': 'Il faudrait {}, qui a été laissé de côté.',
  'This folder is inside itself.': 'Ce dossier se contient lui-même.',
  'This record has more than {} characters.': 'Cet élément dépasse {} caractères.',
  'This key is unknown.': 'Ce champ est inconnu.',
  'This key is unknown ({} times).': 'Ce champ est inconnu ({} fois).',
  'This setting was not changed: {}': 'Ce réglage n’a pas été changé : {}',
  '{} refers to a record that was not imported: it was cleared.':
    '« {} » désigne un élément qui n’a pas été importé : ce champ a été vidé.',
  '{} invalid members were removed.': '{} membres non valides ont été retirés.',
  'The tool is in another slot of the account, where it stays.': 'L’outil est à un autre emplacement, où il reste.',
  'The {} oldest archived points were omitted: there may be at most {}.':
    'Les {} plus anciens points archivés ont été laissés de côté : il y en a au plus {}.',
  'The {} oldest {} were omitted: only the newest {} are kept.':
    'Les {0} plus anciens éléments ont été laissés de côté : seuls les {2} plus récents sont gardés ({1}).',
  'This was linked to a shared version, and is now an independent sequence.': {
    en: 'This was linked to a shared version, and is now a program of its own.',
    fr: 'Ce programme était lié à une version partagée ; il est maintenant indépendant.',
  },
  'This is set by the server only.': 'Seul le serveur règle ceci.',
  'This is not an hour of the day: it was cleared.': 'Ce n’est pas une heure du jour : ce champ a été vidé.',
  'Tool {} was not imported: no tool is mounted.': 'L’outil {} n’a pas été importé : aucun outil n’est monté.',
  'Another robot of this server has this order number.': 'Un autre robot de ce serveur a ce numéro de commande.',
  'This event runs the {} {}, which was omitted.': 'Cet événement exécute un élément laissé de côté ({} {}).',
  'This regimen runs the sequence {}, which was omitted.': {
    en: 'This regimen runs the program {}, which was omitted.',
    fr: 'Ce régime exécute le programme {}, qui a été laissé de côté.',
  },
  'This {} was omitted: {}': 'Laissé de côté ({}) : {}',
  'There are {} more problems in it.': 'Il y a {} autres problèmes.',
  'This photo was omitted: {}': 'Cette photo a été laissée de côté : {}',
  'The photo was never uploaded.': 'La photo n’a jamais été envoyée.',
  'The archive contains photo {}, but the document has no such image.':
    'L’archive contient la photo {}, que le fichier ne nomme pas.',
  'Its host did not respond in time before.': 'Son serveur n’a pas répondu à temps auparavant.',
  'There was no time left to fetch it.': 'Il ne restait plus de temps pour la chercher.',
  'Its address returned status {}.': 'Son adresse a répondu avec le statut {}.',
  'It is larger than {} bytes.': 'Elle dépasse {} octets.',
  'Fetching it from its address failed ({}).': 'La lecture depuis son adresse a échoué ({}).',
  'It is not a supported picture: {}.': 'Ce n’est pas une image lisible : {}.',
  'The account keeps its own settings and configs.': 'Le jardin garde ses propres réglages.',
  'Users and their sessions are never imported.': 'Les personnes et leurs sessions ne sont jamais importées.',
  "The account's own record with {} is used instead.":
    'L’élément du jardin avec cette valeur est utilisé à la place : {}.',
  'This time is invalid: it was replaced by the current time.':
    'Cette heure n’est pas valide : l’heure actuelle la remplace.',
};

/** Messages of the server about its message broker. */
const ofBrokers: Readonly<Record<string, Words>> = {
  'The built-in message broker is not running.': 'Le courtier de messages intégré ne fonctionne pas.',
  'The built-in message broker listens on port {}; 1 client is connected.':
    'Le courtier de messages intégré écoute sur le port {} ; 1 client est connecté.',
  'The built-in message broker listens on port {}; {} clients are connected.':
    'Le courtier de messages intégré écoute sur le port {} ; {} clients sont connectés.',
  'The built-in message broker listens on ports {} and {}; 1 client is connected.':
    'Le courtier de messages intégré écoute sur les ports {} et {} ; 1 client est connecté.',
  'The built-in message broker listens on ports {} and {}; {} clients are connected.':
    'Le courtier de messages intégré écoute sur les ports {} et {} ; {} clients sont connectés.',
  '{} messages are waiting.': '{} messages attendent.',
  'RabbitMQ at {} is not connected yet.': 'RabbitMQ à {} n’est pas encore connecté.',
  'RabbitMQ at {} is connected.': 'RabbitMQ à {} est connecté.',
  'Without BROKER_MANAGEMENT_URL, clients with a revoked token stay connected until they disconnect; they cannot sign in again.':
    'Sans BROKER_MANAGEMENT_URL, les clients dont le jeton a été révoqué restent connectés jusqu’à ce qu’ils se déconnectent ; ils ne peuvent pas se reconnecter.',
  'RabbitMQ at {} accepts no messages at the moment ({}).':
    'RabbitMQ à {} n’accepte pas de messages en ce moment ({}).',
  'RabbitMQ at {} refuses connections: it may not be running.':
    'RabbitMQ à {} refuse les connexions : il ne fonctionne peut-être pas.',
  'The host name in {} cannot be resolved.': 'Le nom d’hôte dans {} est introuvable.',
  'RabbitMQ at {} does not respond.': 'RabbitMQ à {} ne répond pas.',
  "RabbitMQ at {} refused the user {}: BROKER_ADMIN_PASSWORD or the password in BROKER_URL is wrong, or RabbitMQ cannot reach this server's hooks (/api/rmq/user).":
    'RabbitMQ à {} a refusé l’utilisateur {} : BROKER_ADMIN_PASSWORD ou le mot de passe dans BROKER_URL est faux, ou RabbitMQ n’atteint pas ce serveur (/api/rmq/user).',
  'RabbitMQ at {} does not allow the user {} to use the virtual host {}.':
    'RabbitMQ à {} ne permet pas à l’utilisateur {} l’hôte virtuel {}.',
  'RabbitMQ at {} was stopped, or closed the connection.': 'RabbitMQ à {} a été arrêté, ou a fermé la connexion.',
  'The connection to RabbitMQ at {} timed out.': 'La connexion à RabbitMQ à {} a pris trop de temps.',
};

/** Why an address could not be fetched, perhaps with a code in parentheses. */
const ofFetches: Readonly<Record<string, Extract<Words, object>>> = {
  'the URL does not begin with http:// or https://': {
    en: 'The address does not begin with http:// or https://',
    fr: 'L’adresse ne commence pas par http:// ou https://',
  },
  'the host is in a private network, which FETCH_ALLOW does not open': {
    en: 'The address is in a private network, which the server’s setting FETCH_ALLOW does not open',
    fr: 'L’adresse est dans un réseau privé, que le réglage FETCH_ALLOW du serveur n’ouvre pas',
  },
  'the redirects of the URL cannot be followed': {
    en: 'The redirects of the address cannot be followed',
    fr: 'Les redirections de l’adresse ne peuvent pas être suivies',
  },
  'the host name was not found': { en: 'The host name was not found', fr: 'Le nom d’hôte est introuvable' },
  'the host refused the connection': { en: 'The host refused the connection', fr: 'L’hôte a refusé la connexion' },
  'the host did not respond in time': { en: 'The host did not respond in time', fr: 'L’hôte n’a pas répondu à temps' },
  'the host cannot be reached': { en: 'The host cannot be reached', fr: 'L’hôte ne peut pas être joint' },
  'the URL could not be fetched': { en: 'The address could not be fetched', fr: 'L’adresse n’a pas pu être lue' },
};

/** Why a webhook was not delivered. */
const ofDeliveries: Readonly<Record<string, Words>> = {
  ...Object.fromEntries(
    Object.entries(ofFetches).flatMap(([reason, { en, fr }]) => [
      [reason, { en: `${en}.`, fr: `${fr}.` }],
      [`${reason} ({})`, { en: `${en} ({}).`, fr: `${fr} ({}).` }],
    ]),
  ),
  'the address responded with {}': { en: 'The address responded with {}.', fr: 'L’adresse a répondu avec {}.' },
  'there is nothing to deliver any more': {
    en: 'There is nothing to deliver any more.',
    fr: 'Il n’y a plus rien à envoyer.',
  },
  'the webhook was switched off': { en: 'The webhook was switched off.', fr: 'Le webhook a été désactivé.' },
};

/** Translations of reports, of imports, of deliveries and of the server. */
export const reportSentences: Readonly<Record<string, Words>> = { ...ofImports, ...ofBrokers, ...ofDeliveries };
