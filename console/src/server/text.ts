import { catalog } from '../ui/language.ts';

const words = {
  title: ['Server', 'Serveur'],
  parts: {
    state: ['State', 'État'],
    figures: ['Figures', 'Chiffres'],
    users: ['Users', 'Comptes'],
    invitations: ['Invitations', 'Invitations'],
    jobs: ['Failed jobs', 'Tâches en échec'],
  },
  version: ['Version', 'Version'],
  users: ['Accounts', 'Comptes'],
  database: ['Database', 'Base de données'],
  disk: ['Disk', 'Disque'],
  diskUnknown: ['The file system does not say.', 'Le système de fichiers ne le dit pas.'],
  broker: ['Message broker', 'Courtier de messages'],
  noBroker: ['There is none.', 'Il n’y en a pas.'],
  jobs: ['Background jobs', 'Tâches de fond'],
  lastBackup: ['Last backup', 'Dernière sauvegarde'],
  never: ['Never', 'Jamais'],
  backups: ['Backups', 'Sauvegardes'],
  noBackups: ['The server has not made a backup yet.', 'Le serveur n’a pas encore fait de sauvegarde.'],
  backUpNow: ['Back up now', 'Sauvegarder maintenant'],
  backingUp: ['A backup is being created…', 'Une sauvegarde est en cours…'],
  figures: {
    requests: ['Requests a minute', 'Requêtes par minute'],
    errors: ['Failed requests a minute', 'Requêtes en échec par minute'],
    memory: ['Memory', 'Mémoire'],
    event_loop_delay: ['Delay of due work', 'Retard du travail dû'],
    jobs_waiting: ['Waiting background jobs', 'Tâches de fond en attente'],
    http_connections: ['Connections of browsers and programs', 'Connexions de navigateurs et de programmes'],
    broker_connections: ['Connections to the message broker', 'Connexions au courtier de messages'],
  },
  signUp: ['Sign-up', 'Inscription'],
  demos: ['Demo gardens', 'Jardins de démonstration'],
  demosHint: ['Visitors try a garden without an account.', 'Les visiteurs essaient un jardin sans compte.'],
  demoWords: { on: ['on', 'activés'], off: ['off', 'désactivés'] },
  signUpWords: { open: ['open', 'ouverte'], closed: ['closed', 'fermée'] },
  signUpHint: ['Invitations work either way.', 'Les invitations restent possibles dans tous les cas.'],
  saved: ['Saved.', 'Enregistré.'],

  find: ['Find a user', 'Rechercher un compte'],
  findHint: ['Part of a name or an e-mail address.', 'Une partie du nom ou de l’adresse e-mail.'],
  noUsers: ['No matching users.', 'Aucun utilisateur ne correspond.'],
  administrator: ['Administrator', 'Administrateur'],
  demo: ['Demo', 'Démo'],
  unconfirmed: ['Not confirmed', 'Non confirmé'],
  disabled: ['Disabled', 'Désactivé'],
  neverSignedIn: ['Has never signed in', 'Ne s’est jamais connecté'],
  confirm: ['Confirm the address', 'Confirmer l’adresse'],
  disable: ['Disable', 'Désactiver'],
  enable: ['Enable', 'Réactiver'],
  limits: ['Limits', 'Limites'],
  allowHome: ['Allow Home Assistant', 'Autoriser Home Assistant'],
  forbidHome: ['Forbid Home Assistant', 'Interdire Home Assistant'],
  gardenLimits: {
    points: ['Points in the bed', 'Points du jardin'],
    sequences: ['Programs', 'Programmes'],
    steps: ['Steps of a program', 'Étapes d’un programme'],
  },
  quotas: {
    photo_bytes: ['Photos (MiB)', 'Photos (Mio)'],
    photos: ['Photos', 'Photos'],
    tokens: ['Sessions', 'Sessions'],
    webhooks: ['Webhooks', 'Webhooks'],
    personal_tokens: ['Personal tokens', 'Jetons personnels'],
    published_bytes: ['Published programs (MiB)', 'Programmes publiés (Mio)'],
    history_bytes: ['History (MiB)', 'Historique (Mio)'],
    uploads_in_flight: ['Uploads at the same time', 'Envois simultanés'],
    imports_in_flight: ['Imports at the same time', 'Imports simultanés'],
    commands_in_flight: ['Commands at the same time', 'Commandes simultanées'],
    exports_per_hour: ['Exports in an hour', 'Exports par heure'],
  },

  invite: ['Invite a person to this server', 'Inviter une personne sur ce serveur'],
  noJobs: ['No job has failed.', 'Aucune tâche n’a échoué.'],
  retry: ['Retry', 'Relancer'],
  retryAll: ['Retry all', 'Tout relancer'],
} as const;

const en = {
  forAdministrators: 'This page is for the administrators of this server',
  forAdministratorsHint:
    'The first account is one. An administrator can make others: “potager user admin” on the machine of the server.',
  diskFree: (free: string, total: string) => `${free} of ${total} free`,
  diskLow: (required: string) => `Less than ${required} is free: uploads, imports and backups are refused.`,
  jobCounts: (waiting: number, later: number, running: number) =>
    `${running} running, ${waiting} waiting, ${later} for later`,
  dead: (count: number) => `${count} failed for good`,
  backupsHint:
    'In the folder “backups” of the server’s data, the newest three. They cannot be downloaded: they contain the key of the server. Copy them to another disk.',
  backupsPostgres: 'The PostgreSQL database is not included: back it up with pg_dump.',
  figuresHint: (process: string) =>
    `One value a minute of the process ${process}, since it started or for the last day. Each process has its own figures.`,
  noFigures: 'The first figures appear a minute after the start of the server.',
  figureUnits: { memory: ' MiB', event_loop_delay: ' ms' } as Readonly<Record<string, string>>,
  chart: (name: string, now: string, least: string, most: string) => `${name}: ${now} now, from ${least} to ${most}.`,
  now: (value: string) => `Now: ${value}`,
  signUpChoices: { setting: (word: string) => `As set on the server: ${word}`, open: 'Open to all', closed: 'Closed' },
  demoChoices: {
    setting: (word: string | null) =>
      word === null ? 'As set on the server: while sign-up is open' : `As set on the server: ${word}`,
    on: 'On',
    off: 'Off',
  },
  lastSignIn: (time: string) => `Last sign-in: ${time}`,
  more: (name: string) => `What to do with ${name}`,
  confirmed: (email: string) => `${email} is confirmed.`,
  disabledNow: (email: string) => `${email} can no longer sign in.`,
  enabledNow: (email: string) => `${email} can sign in again.`,
  deletedNow: (email: string) => `${email} was deleted.`,
  disableTitle: (email: string) => `Disable ${email}?`,
  disableHint: 'All sessions end, and neither the person nor the robot can sign in. The garden stays as it is.',
  deleteTitle: (email: string) => `Delete ${email}?`,
  deleteHint: 'Deletes the account at once, and its garden with all photos unless other people have it.',
  limitsOf: (email: string) => `Limits of ${email}`,
  limitHint: (used: string, limit: string) => `${used} used, at most ${limit}. Empty: the general limit.`,
  gardenLimitHint: (limit: string) => `At most ${limit}. Empty: the usual limit.`,
  inviteHint: 'The invitation makes one account, within 7 days, for this address only, also while sign-up is closed.',

  jobsHint: 'Background jobs that failed and are not tried again. Run them again once the cause is fixed.',
  failed: (time: string, attempts: number) =>
    `Failed ${time}, after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}`,
  garden: (id: number) => `Garden ${id}`,
  retryOf: (kind: string) => `Retry ${kind}`,
  retried: (count: number) => (count === 1 ? 'One job runs again.' : `${count} jobs run again.`),
};

const fr: typeof en = {
  forAdministrators: 'Cette page est pour les administrateurs de ce serveur',
  forAdministratorsHint:
    'Le premier compte en est un. Un administrateur peut en nommer d’autres : « potager user admin » sur la machine du serveur.',
  diskFree: (free, total) => `${free} libres sur ${total}`,
  diskLow: (required) => `Moins de ${required} libres : les envois, imports et sauvegardes sont refusés.`,
  jobCounts: (waiting, later, running) => `${running} en cours, ${waiting} en attente, ${later} pour plus tard`,
  dead: (count) => `${count} en échec définitif`,
  backupsHint:
    'Dans le dossier « backups » des données du serveur, les trois plus récentes. Elles ne peuvent pas être téléchargées : elles contiennent la clé du serveur. Copiez-les sur un autre disque.',
  backupsPostgres: 'La base PostgreSQL n’y est pas : sauvegardez-la avec pg_dump.',
  figuresHint: (process) =>
    `Une mesure par minute du processus ${process}, depuis son démarrage ou sur le dernier jour. Chaque processus a ses propres chiffres.`,
  noFigures: 'Les premiers chiffres apparaissent une minute après le démarrage du serveur.',
  figureUnits: { memory: ' Mio', event_loop_delay: ' ms' },
  chart: (name, now, least, most) => `${name} : ${now} maintenant, de ${least} à ${most}.`,
  now: (value) => `Maintenant : ${value}`,
  signUpChoices: {
    setting: (word) => `Comme réglé sur le serveur : ${word}`,
    open: 'Ouverte à tous',
    closed: 'Fermée',
  },
  demoChoices: {
    setting: (word) =>
      word === null
        ? 'Comme réglé sur le serveur : tant que l’inscription est ouverte'
        : `Comme réglé sur le serveur : ${word}`,
    on: 'Activés',
    off: 'Désactivés',
  },
  lastSignIn: (time) => `Dernière connexion : ${time}`,
  more: (name) => `Actions : ${name}`,
  confirmed: (email) => `${email} est confirmé.`,
  disabledNow: (email) => `${email} ne peut plus se connecter.`,
  enabledNow: (email) => `${email} peut de nouveau se connecter.`,
  deletedNow: (email) => `${email} a été supprimé.`,
  disableTitle: (email) => `Désactiver ${email} ?`,
  disableHint:
    'Toutes les sessions se terminent, et ni la personne ni le robot ne peuvent se connecter. Le jardin reste tel quel.',
  deleteTitle: (email) => `Supprimer ${email} ?`,
  deleteHint:
    'Supprime le compte immédiatement, et son jardin avec toutes les photos sauf si d’autres personnes y ont accès.',
  limitsOf: (email) => `Limites de ${email}`,
  limitHint: (used, limit) => `${used} utilisés, au plus ${limit}. Vide : la limite générale.`,
  gardenLimitHint: (limit) => `Au plus ${limit}. Vide : la limite habituelle.`,
  inviteHint:
    'L’invitation permet de créer un compte, sous 7 jours, pour cette adresse seulement, même si l’inscription est fermée.',

  jobsHint: 'Les tâches de fond qui ont échoué et ne sont plus essayées. Relancez-les une fois la cause corrigée.',
  failed: (time, attempts) => `Échec le ${time}, après ${attempts === 1 ? '1 essai' : `${attempts} essais`}`,
  garden: (id) => `Jardin ${id}`,
  retryOf: (kind) => `Relancer ${kind}`,
  retried: (count) => (count === 1 ? 'Une tâche est relancée.' : `${count} tâches sont relancées.`),
};

export const serverText = catalog({ en, fr, words });
