import type { partsTextEn } from './parts-text-en.ts';

/** French texts of the account's pages. */
export const partsTextFr: typeof partsTextEn = {
  emailHint:
    'Une nouvelle adresse est valable dès que vous ouvrez le lien du message qui y est envoyé, ou tout de suite sans envoi de messages.',
  emailChanged: (email) => `Votre adresse est maintenant ${email}.`,
  emailSent: 'Ouvrez le lien du message envoyé à la nouvelle adresse ; d’ici là, l’ancienne reste valable.',
  otherGarden: 'Ce jardin est celui d’autres personnes. Passez à l’un des vôtres pour modifier votre compte.',
  passwordHint:
    'Toutes vos autres sessions se terminent. Votre robot se connecte aussi avec ce mot de passe : configurez-le de nouveau.',
  passwordChanged: 'Votre mot de passe a été changé, et vos autres sessions sont terminées.',

  sessionsHint:
    'Là où vous êtes connecté. Un robot déconnecté revient une fois éteint et rallumé, tant qu’il connaît le mot de passe.',
  clientOn: (browser, system) => `${browser} sous ${system}`,
  virtualRobot: (software) => `Robot virtuel, ${software}`,
  lastUsed: (time) => `Dernière utilisation : ${time}`,
  since: (time) => `Depuis le ${time}`,
  endOf: (name) => `Terminer la session : ${name}`,
  endOthersHint:
    'Tous les autres navigateurs et applications doivent se reconnecter, et les robots être éteints et rallumés. Les jetons personnels restent.',

  tokensHint: 'Pour des scripts : un jeton peut ce que disent ses droits dans ce jardin, par HTTP et MQTT.',
  scopes: {
    read: 'Tout lire, sauf les comptes, les membres, les jetons et les webhooks',
    garden: 'Lire et modifier les plantes, les points, les outils, les photos et les réglages du robot',
    programs: 'Lire et modifier les programmes, les régimes et les événements',
    control: 'Envoyer des commandes au robot',
    logs: 'Lire, écrire et supprimer les journaux',
    account: 'Lire et modifier ce qui appartient au compte',
    admin: 'Lire ce que voient les administrateurs du serveur',
  },
  validUntil: (time) => `Valable jusqu’au ${time}`,
  renameOf: (name) => `Renommer « ${name} »`,
  revokeOf: (name) => `Révoquer « ${name} »`,
  revokeTitle: (name) => `Révoquer « ${name} » ?`,
  revoked: (name) => `« ${name} » a été révoqué.`,
  roleOf: (name) => `Rôle : ${name}`,
  roleHints: {
    viewer: 'Les lecteurs voient le jardin et ne changent rien.',
    gardener: 'Les jardiniers changent tout, sauf le compte, les personnes, les webhooks et Home Assistant.',
    owner: 'Les propriétaires peuvent tout faire.',
  },
  roleChanged: (name, role) => `${name} est maintenant : ${role}.`,
  removeOf: (name) => `Retirer ${name}`,
  removeTitle: (name) => `Retirer ${name} de ce jardin ?`,
  removeHint: 'Ses sessions et jetons de ce jardin se terminent immédiatement.',
  removed: (name) => `${name} a été retiré.`,
  leaveHint:
    'Vos sessions et jetons de ce jardin se terminent immédiatement. Pour revenir, il vous faut une invitation.',
  onlyOwners: 'Seuls les propriétaires voient les personnes d’un jardin et en invitent d’autres.',
  inviteHint: 'L’invitation vaut une fois, pendant 7 jours, et seulement pour cette adresse.',

  gardensHint: 'Vos jardins, et ceux que d’autres partagent avec vous.',
  switchTo: (name) => `Passer à ${name}`,
  robotPasswordHint: 'Le robot de ce jardin se connecte avec votre adresse e-mail et ce mot de passe.',
  renewOf: (name) => `Nouveau mot de passe du robot de ${name}`,
  renewTitle: (name) => `Créer un nouveau mot de passe pour le robot de ${name} ?`,
  renewHint: 'Le précédent n’est plus valable, et le robot doit être configuré de nouveau.',

  webhooksHint:
    'Des adresses auxquelles le serveur envoie les changements de ce jardin, signés selon les règles de Standard Webhooks.',
  secretHint: 'Il permet au destinataire de vérifier que les envois viennent de ce serveur.',
  rotateHint: 'Pendant 24 heures, les envois sont aussi signés avec l’ancien.',
  testSent: 'Le test est envoyé. Son résultat est parmi les envois.',
  failing: (time) => `L’adresse n’accepte plus les envois depuis le ${time}.`,
  disabled: (time) => `Désactivé par le serveur après trois jours d’échecs, le ${time}.`,
  statuses: { waiting: 'En attente', sending: 'En cours', delivered: 'Livré', failed: 'Échec' },
  attempts: (count) => (count === 1 ? '1 tentative' : `${count} tentatives`),
  redeliverOf: (type) => `Renvoyer ${type}`,

  homeHint:
    'Le robot, ses périphériques et capteurs et les programmes épinglés comme un seul appareil de Home Assistant.',
  homeNotConfigured: 'L’exploitant de ce serveur n’a pas défini HOME_ASSISTANT : il n’y a rien à activer.',
  homeNotAllowed: 'Un administrateur de ce serveur doit d’abord l’autoriser pour ce jardin.',
  homeHasPassword: 'Home Assistant a un mot de passe. Un nouveau y met fin, ainsi qu’à ses connexions.',
  homeNoPassword: 'Home Assistant a besoin d’un mot de passe pour le courtier de messages de ce serveur.',

  calendarHint:
    'Une adresse secrète avec laquelle les calendriers (Thunderbird, Google, iOS) montrent le calendrier de ce jardin.',
  calendarSince: (time) =>
    `Il y a une adresse, créée le ${time}. Elle n’est pas enregistrée et ne peut donc plus être affichée.`,
  renewCalendarHint:
    'L’adresse précédente n’est plus valable, et les calendriers qui l’utilisent ne reçoivent plus rien.',
  exportHint: 'Tout ce jardin dans un fichier, pour un autre serveur ou comme copie personnelle.',
  exportMailed: 'L’export a été envoyé par e-mail aux propriétaires du jardin.',
  importHint:
    'Le fichier d’un export (JSON ou ZIP), de ce serveur ou de celui du fabricant, ou un tableau de plantes (CSV). Il est vérifié avant tout changement.',
  tableHint:
    'Les plantes d’un tableau sont ajoutées au jardin. Sa première ligne nomme les colonnes : culture, x, y, planté le. Un tableau exporté les montre toutes.',
  row: (number) => `Ligne ${number}`,
  file: (name) => `Fichier : ${name}`,
  modes: {
    empty: 'Il ne doit pas y en avoir',
    merge: 'Elles restent, et les autres s’y ajoutent',
    replace: 'Elles sont d’abord supprimées, après une sauvegarde sur le serveur',
  },
  wouldImport: 'Le fichier peut être importé. Rien n’a encore été changé.',
  noExport: 'Ce n’est pas l’export d’un jardin, de ce serveur ou de celui du fabricant.',
  cannotImport: 'Le fichier ne peut pas être importé. Rien n’a été changé.',
  documentParts: {
    ai_feedbacks: 'Évaluations des réponses',
    logs: 'Journal',
    rows: 'Lignes du tableau',
    token_issuances: 'Sessions',
    users: 'Personnes',
    wizard_step_results: 'Étapes de la mise en service',
  },
  unlisted: (count) => `et ${count} de plus`,
  backUp: (name) => `Les données remplacées sont dans une sauvegarde sur le serveur : ${name}`,
  resetHint:
    'Supprime tout dans ce jardin : plantes, programmes, photos, réglages. Le compte et ses personnes restent.',
  deleteHint:
    'Supprime votre compte, et ce jardin avec ses photos sauf s’il a d’autres propriétaires. Rien ne peut être restauré.',
  deleteGardens: 'Jardins supprimés avec lui, parce que personne d’autre n’en est propriétaire',
};
