import { catalog } from '../ui/language.ts';

const words = {
  title: ['Notices', 'Avis'],
  hints: ['Hints', 'Conseils'],
  fromRobot: ['From the robot', 'Du robot'],
  nothing: ['Nothing to report.', 'Rien à signaler.'],
  toLogs: ['Open the logs', 'Ouvrir le journal'],
  choose: ['Choose what is reported, and how', 'Choisir ce qui est signalé, et comment'],
  dismiss: ['Do not show again', 'Ne plus afficher'],
} as const;

const en = {
  count: (count: number) => (count === 0 ? 'No new notices' : count === 1 ? '1 notice' : `${count} notices`),
  dismissOf: (title: string) => `Do not show again: ${title}`,
  example: {
    title: 'This garden is an example',
    text: 'Its plants, programs and settings are there to be tried. To begin with your own, reset the garden.',
    action: 'Begin afresh',
  },
  notices: {
    'api.user.not_welcomed': {
      title: 'Welcome to your garden',
      text: 'Begin with the plants: choose a crop, and tap where it grows. Then the robot can water them every morning.',
      action: 'Add a plant on the map',
    },
    'api.documentation.unread': {
      title: 'Good to know',
      text: 'The search (magnifier, or Ctrl+K) finds pages, names and commands, and ? lists all keys. Almost every change can be taken back: at once with “Undo”, later on the page History. Scripts can do everything, too.',
      action: 'What scripts can do',
    },
    'api.tour.not_taken': {
      title: 'Look around',
      text: 'This garden has plants, programs and a schedule to try. A virtual robot carries them out: the page Robot starts and stops it.',
      action: 'To the robot',
    },
    'api.seed_data.missing': {
      title: 'This garden is empty',
      text: 'Choose your robot: its tools, slots, sensors and first programs are added. Or plant on the map as it is.',
      action: 'Choose your robot',
    },
    'api.demo_account.in_use': {
      title: 'This is a demo garden',
      text: 'Try whatever you like: nothing can break here. Demo gardens are deleted after a while. Make an account to have one of your own.',
      action: 'Create account',
    },
    'api.bulletin.unread': {
      title: 'News',
      text: 'This news cannot be shown, or was withdrawn.',
      action: '',
    },
  },
  bulletins: {
    'webhook-switched-off': {
      title: 'A webhook was switched off',
      text: 'Its address accepted nothing for three days, or refused further deliveries. What happened in the meantime is not delivered later. When the address works again, switch the webhook on, or delete it if you do not need it. The logs say which one it is.',
      action: 'Show the webhooks',
    },
    'buy-a-farmbot': {
      title: 'Get your own robot',
      text: 'Do you like the demo? A real robot sows, waters and weeds a bed in your garden, and you control it from this page.',
      action: 'See the robots',
    },
  },
};

const fr: typeof en = {
  count: (count) => (count === 0 ? 'Aucun nouvel avis' : `${count} avis`),
  dismissOf: (title) => `Ne plus afficher : ${title}`,
  example: {
    title: 'Ce jardin est un exemple',
    text: 'Ses plantes, programmes et réglages sont là pour être essayés. Pour commencer le vôtre, réinitialisez le jardin.',
    action: 'Repartir de zéro',
  },
  notices: {
    'api.user.not_welcomed': {
      title: 'Bienvenue dans votre jardin',
      text: 'Commencez par les plantes : choisissez une culture, puis touchez l’endroit où elle pousse. Le robot pourra ensuite les arroser chaque matin.',
      action: 'Ajouter une plante sur le plan',
    },
    'api.documentation.unread': {
      title: 'Bon à savoir',
      text: 'La recherche, par la loupe ou Ctrl+K, trouve pages, noms et commandes, et « ? » affiche toutes les touches. Presque tout changement peut être annulé : aussitôt par « Annuler », plus tard sur la page Historique. Les scripts peuvent tout faire, eux aussi.',
      action: 'Ce que peuvent faire les scripts',
    },
    'api.tour.not_taken': {
      title: 'Faites le tour',
      text: 'Ce jardin a des plantes, des programmes et un calendrier à essayer. Un robot virtuel les exécute : la page Robot le démarre et l’arrête.',
      action: 'Vers le robot',
    },
    'api.seed_data.missing': {
      title: 'Ce jardin est vide',
      text: 'Choisissez votre robot : ses outils, emplacements, capteurs et premiers programmes sont ajoutés. Ou plantez directement sur le plan.',
      action: 'Choisir votre robot',
    },
    'api.demo_account.in_use': {
      title: 'Ceci est un jardin de démonstration',
      text: 'Essayez ce que vous voulez : rien ne peut se casser. Les jardins de démonstration sont supprimés au bout d’un moment. Créez un compte pour avoir le vôtre.',
      action: 'Créer un compte',
    },
    'api.bulletin.unread': {
      title: 'Nouvelles',
      text: 'Cette nouvelle ne peut pas être affichée, ou a été retirée.',
      action: '',
    },
  },
  bulletins: {
    'webhook-switched-off': {
      title: 'Un webhook a été désactivé',
      text: 'Son adresse n’a rien accepté pendant trois jours, ou a refusé les envois suivants. Ce qui s’est passé entre-temps ne sera pas livré plus tard. Quand l’adresse fonctionnera de nouveau, réactivez le webhook, ou supprimez-le s’il ne sert plus. Le journal dit duquel il s’agit.',
      action: 'Voir les webhooks',
    },
    'buy-a-farmbot': {
      title: 'Un robot à vous',
      text: 'La démonstration vous plaît ? Un vrai robot sème, arrose et désherbe une planche de votre jardin, et vous le commandez depuis cette page.',
      action: 'Voir les robots',
    },
  },
};

/** The texts of the API's notices, by their subjects. */
export const noticesText = catalog({ en, fr, words });

/** The news that the server writes, by slugs, in the server's words. */
export const serverNews: Readonly<Record<string, { readonly title: string; readonly text: string }>> = en.bulletins;
