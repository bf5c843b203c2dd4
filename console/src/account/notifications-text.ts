import { catalog } from '../ui/language.ts';

const words = {
  onPages: ['On the pages', 'Sur les pages'],
  away: ['When you are away', 'Quand vous êtes absent'],
  kinds: {
    message: ['Messages that programs show', 'Messages affichés par les programmes'],
    error: ['Errors of the robot', 'Erreurs du robot'],
    assertion: ['Failed assertions', 'Assertions non vérifiées'],
    missed_run: ['Runs that were due while it was offline', 'Exécutions prévues pendant qu’il était hors ligne'],
    offline: ['The robot is offline', 'Le robot est hors ligne'],
  },
  ways: {
    email: ['E-mail', 'E-mail'],
    web_push: ['This browser (Web Push)', 'Ce navigateur (Web Push)'],
    ntfy: ['ntfy', 'ntfy'],
    webhook: ['Webhook', 'Webhook'],
  },
  way: ['How', 'Moyen'],
  what: ['What is reported', 'Ce qui est signalé'],
  address: ['Address', 'Adresse'],
  token: ['Access token, if the server asks for one', 'Jeton d’accès, si le serveur en demande un'],
  quietFrom: ['Quiet from', 'Calme à partir de'],
  quietTo: ['Quiet until', 'Calme jusqu’à'],
  name: ['Name', 'Nom'],
  add: ['Add', 'Ajouter'],
  newRule: ['Add a way', 'Ajouter un moyen'],
  active: ['Active', 'Actif'],
  test: ['Send a test', 'Envoyer un essai'],
  tested: ['The test is on its way.', 'L’essai est en route.'],
  delete: ['Delete', 'Supprimer'],
  deleted: ['Deleted.', 'Supprimé.'],
  saved: ['Saved.', 'Enregistré.'],
  secret: ['Signing secret', 'Secret de signature'],
  declined: ['This browser was not allowed to.', 'Le navigateur n’y a pas été autorisé.'],
} as const;

const en = {
  pagesHint: 'Each page shows these for a moment, and the bell keeps them.',
  awayHint:
    'Every person chooses for themselves. Deliveries wait until quiet hours end; the same is reported once in ten minutes.',
  none: 'Nothing reaches you while no page is open.',
  quiet: (from: string, to: string) => `Quiet from ${from} to ${to}`,
  lastError: (reason: string) => `The last delivery failed: ${reason}`,
  ntfyHint: 'The address of a topic, such as https://ntfy.sh/my-garden. Anyone who knows it can read along.',
  secretHint: 'Messages are signed with it. It is not shown again.',
  obstacles: {
    insecure:
      'Web Push needs an encrypted page (https), and this one is not. The other ways work here, too: ntfy has an app for phones.',
    unsupported: 'This browser does not support Web Push. On an iPhone, add the page to the home screen first.',
    blocked: 'Notifications of this page are blocked in the settings of this browser.',
  },
};

const fr: typeof en = {
  pagesHint: 'Chaque page les affiche un moment, et la cloche les garde.',
  awayHint:
    'Chacun choisit pour soi. Les envois attendent la fin des heures de calme ; la même chose est signalée une fois en dix minutes.',
  none: 'Rien ne vous parvient quand aucune page n’est ouverte.',
  quiet: (from, to) => `Calme de ${from} à ${to}`,
  lastError: (reason) => `Le dernier envoi a échoué : ${reason}`,
  ntfyHint: 'L’adresse d’un sujet, par exemple https://ntfy.sh/mon-jardin. Qui la connaît peut lire aussi.',
  secretHint: 'Il signe les messages. Il ne sera plus affiché.',
  obstacles: {
    insecure:
      'Web Push demande une page chiffrée (https), et celle-ci ne l’est pas. Les autres moyens fonctionnent ici aussi : ntfy a une application pour téléphones.',
    unsupported: 'Ce navigateur ne connaît pas Web Push. Sur un iPhone, ajoutez d’abord la page à l’écran d’accueil.',
    blocked: 'Les notifications de cette page sont bloquées dans les réglages de ce navigateur.',
  },
};

export const notificationsText = catalog({ en, fr, words });
