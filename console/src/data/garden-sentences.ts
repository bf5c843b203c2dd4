import { modelTexts } from '../../../src/ai/model-error.ts';
import { fullInFrench } from '../../../src/photos/full-storage-texts.ts';

/** A translated message of the API, with its values instead of `{}`, or of `{2}` if their order differs. */
export type Words = string | { readonly en: string; readonly fr: string };

/** Those of the language model, whose French ones are in the logs of gardens as well. */
const modelSentences = Object.fromEntries(Object.values(modelTexts).map(({ en, fr }): [string, Words] => [en, fr]));

/** Messages of the API about gardens, programs, robots, and all else but accounts. */
export const gardenSentences: Readonly<Record<string, Words>> = {
  // Garden
  'This order number belongs to another device. If you have several robots, add -1, -2 and so on.':
    'Ce numéro de commande est celui d’un autre robot. Si vous en avez plusieurs, ajoutez -1, -2, etc.',
  'Mounted Tool ID must be one of your own tools.': {
    en: 'The mounted tool must be one of your tools.',
    fr: 'L’outil monté doit être un de vos outils.',
  },
  'Points must be an array of 1 to {} points.': 'Il faut une liste de 1 à {} points.',
  'A point is an object.': 'Un point doit être un objet.',
  'This must be the id of a point, each once.': {
    en: 'One of these points was deleted meanwhile.',
    fr: 'Un de ces points a été supprimé entre-temps.',
  },
  'Tool ID must not be blank.': { en: 'Choose a tool.', fr: 'Choisissez un outil.' },
  'This log may contain a secret and was not stored.':
    'Ce message contient peut-être un secret et n’a pas été enregistré.',
  'This curve is still in use by {names}.': 'Cette courbe sert encore à : {}.',
  'This folder still holds {} sequence{}.': {
    en: 'This folder still holds {} program{}.',
    fr: 'Ce dossier contient encore {} programme{}.',
  },
  'This folder still holds {} folder{}.': 'Ce dossier contient encore {} dossier{}.',
  'This group is still in use by {uses}.': 'Ce groupe sert encore à : {}.',
  'This regimen is still in use by {uses}.': 'Ce régime sert encore à : {}.',
  'Sequence is still in use by {uses}.': {
    en: 'This program is still in use by {}.',
    fr: 'Ce programme sert encore à : {}.',
  },
  'Still in use by {uses}.': 'Sert encore à : {}.',
  'Still in use by {uses}: {points}.': 'Sert encore à : {} ({}).',
  'The tool must stay in its slot: it is still in use by {uses}.':
    'L’outil doit rester à son emplacement. Il sert encore à : {}.',
  'This tool is in a slot: take it out first.': 'Cet outil est à un emplacement : retirez-le d’abord.',
  'The points of a group must be your own, each of them once.':
    'Les points d’un groupe doivent être les vôtres, chacun une seule fois.',
  'There may be at most {} points. Please delete some that you do not need.':
    'Il peut y avoir au plus {} points. Supprimez ceux qui ne servent plus.',
  'There are {} points of at most {}. Please delete some that you do not need.':
    'Il y a {} points sur {} au plus. Supprimez ceux qui ne servent plus.',
  'Choose either a sequence or a special action.': {
    en: 'Choose either a program or an action.',
    fr: 'Choisissez un programme ou une action, pas les deux.',
  },
  "'{}' is too far away: coordinates must be less than {}.":
    '« {} » est trop loin : les coordonnées doivent être inférieures à {}.',
  'There are plants in the garden. Please remove them first.':
    'Il y a des plantes dans le jardin. Retirez-les d’abord.',
  'Op must be one of <, >.': 'L’opérateur doit être < ou >.',
  '{} manifests are waiting to be fetched. Try again in a few minutes.':
    '{} descriptions attendent d’être lues. Réessayez dans quelques minutes.',
  'The server is online, but the address could not be opened (status {}).':
    'Le serveur répond, mais l’adresse n’a pas pu être ouverte (statut {}).',
  'The manifest is not valid JSON, or longer than {} bytes.':
    'La description n’est pas du JSON valide, ou dépasse {} octets.',
  'The manifest is not valid JSON.': 'La description n’est pas du JSON valide.',
  'The manifest must have a text under the key `package`.': 'La description doit donner le nom de l’extension.',
  "The package's name is too long (at most {} characters).":
    'Le nom de l’extension est trop long (au plus {} caractères).',
  'The address cannot be opened.': 'L’adresse ne peut pas être ouverte.',
  'The address is in a private network, from which this server does not fetch.':
    'L’adresse est dans un réseau privé, que ce serveur ne lit pas.',
  'The address redirects to one that this server does not follow.':
    'L’adresse renvoie à une autre, que ce serveur ne suit pas.',
  'The server appears to be offline: its name is unknown.': 'Le serveur semble hors ligne : son nom est inconnu.',
  'The server appears to be offline.': 'Le serveur semble hors ligne.',
  'The server did not respond in time.': 'Le serveur n’a pas répondu à temps.',
  'Could not connect to the server.': 'La connexion au serveur a échoué.',
  'Platform must be one of {}.': 'La plateforme doit être une de celles-ci : {}.',
  'Version {} is already installed.': 'La version {} est déjà installée.',
  'Ota Hour must be between 0 and 23.': {
    en: 'The hour of updates must be between 0 and 23.',
    fr: 'L’heure des mises à jour doit être comprise entre 0 et 23.',
  },
  'Product Line must be another one, unless this is a demo.': {
    en: 'Choose another kit, unless this is a demo.',
    fr: 'Choisissez un autre modèle, sauf pour une démonstration.',
  },
  'This account already has a garden.': 'Ce compte a déjà un jardin.',
  // Programs and the calendar
  'Sequence must be an object.': 'Le programme doit être un objet.',
  'A sequence may have at most {} steps, not {}.': {
    en: 'A program may have at most {} steps, not {}.',
    fr: 'Un programme peut avoir au plus {} étapes, pas {}.',
  },
  'There may be at most {} sequences. Delete one that you no longer need.': {
    en: 'There may be at most {} programs. Delete one that you no longer need.',
    fr: 'Il peut y avoir au plus {} programmes. Supprimez-en un qui ne sert plus.',
  },
  'There is no sequence with the ID {} (its item has the time offset {}).': {
    en: 'One of the programs of this regimen does not exist any more.',
    fr: 'Un des programmes de ce régime n’existe plus.',
  },
  'There is no {} with the ID {}: choose one of your own.': {
    en: 'What this event runs does not exist any more: choose something else.',
    fr: 'Ce que cet événement exécute n’existe plus : choisissez autre chose.',
  },
  'Choose a sequence or a regimen of your own for the event.': {
    en: 'Choose a program or a regimen.',
    fr: 'Choisissez un programme ou un régime.',
  },
  'An event may be at most {} years ahead.': 'Un événement peut être au plus {} ans à l’avance.',
  'Start Time is too far in the past ({} years at most).': 'Le début est trop loin dans le passé ({} ans au plus).',
  'End Time is too far in the future ({} years at most).': 'La fin est trop loin dans l’avenir ({} ans au plus).',
  'End Time is required for an event that repeats.': 'Un événement qui se répète doit avoir une fin.',
  'End Time must not be before the start.': 'La fin ne doit pas être avant le début.',
  'This event would occur {} times. At most {} are allowed: choose a longer interval or an earlier end.':
    'Cet événement aurait lieu {} fois. Le maximum est de {} : choisissez un intervalle plus long ou une fin plus proche.',
  '{} must be after {}.': '« {} » doit être après « {} ».',
  'To must be at most {} days after From.': 'La période peut durer au plus {} jours.',
  'There are more than {} occurrences: choose a shorter span.':
    'Il y a plus de {} exécutions : choisissez une période plus courte.',
  'These parts of a program cannot be published: {}.': 'Ces parties d’un programme ne peuvent pas être publiées : {}.',
  'Only sequences of an account with a user can be published.': {
    en: 'Only programs of an account with a user can be published.',
    fr: 'Seuls les programmes d’un compte avec une personne peuvent être publiés.',
  },
  'This version is no longer shared by its author.': 'L’auteur ne partage plus cette version.',
  'Program must be a node, or an object with a `sequence_id`.': 'Le programme n’est pas valide.',
  '`parameters` must be an object with the values of variables by name.':
    'Les valeurs des variables ne sont pas valides.',
  'Program must have at least one step.': 'Le programme doit avoir au moins une étape.',
  'Program is too large: as JSON it has at most {} KiB.': 'Le programme est trop grand : au plus {} Kio.',
  'The body of {} must hold nodes (objects with `kind` and `args`), not {}.':
    'Le contenu de {} doit être fait d’étapes, pas de {}.',
  // Robots
  'No robot is connected.': 'Aucun robot n’est connecté.',
  'The robot has not responded within {} s.': 'Le robot n’a pas répondu en {} s.',
  'The robot reported an error without an explanation.': 'Le robot a signalé une erreur sans l’expliquer.',
  'A real robot connected.': 'Un vrai robot s’est connecté.',
  'The limit of virtual robots on this server is reached.': 'Ce serveur a déjà autant de robots virtuels qu’il peut.',
  'It was idle for 15 minutes.': 'Il n’a rien eu à faire pendant 15 minutes.',
  'Its session ended, as after a change of the password. Start it again.':
    'Sa session est terminée, comme après un changement du mot de passe. Redémarrez-le.',
  'Its user was deleted or disabled, or may not command the robot any more.':
    'Son compte a été supprimé ou désactivé, ou n’a plus le droit de commander le robot.',
  'A real robot is connected. Disconnect it first.': 'Un vrai robot est connecté. Déconnectez-le d’abord.',
  'This server runs no virtual robots.': 'Ce serveur n’a pas de robots virtuels.',
  'This server has no message broker, so no robot can connect.':
    'Ce serveur n’a pas de courtier de messages : aucun robot ne peut se connecter.',
  'The limit of virtual robots on this server is reached. Try again later.':
    'Ce serveur a déjà autant de robots virtuels qu’il peut. Réessayez plus tard.',
  'You run {} virtual robots, as many as one person may. Stop one of them first.':
    'Vous avez {} robots virtuels en marche, le maximum par personne. Arrêtez-en un d’abord.',
  'The message broker is not running.': 'Le courtier de messages ne fonctionne pas.',
  // History
  'These changes have more than {} MiB. Choose a shorter span.':
    'Ces changements dépassent {} Mio. Choisissez une période plus courte.',
  'Some of these changes are of records that you may not read.':
    'Certains de ces changements concernent ce que vous n’avez pas le droit de lire.',
  'There is no such change.': 'Ce changement n’existe pas.',
  'These are more than {} changes. Choose a shorter span.':
    'Il y a plus de {} changements. Choisissez une période plus courte.',
  'Send either request, from_id or since.': 'Choisissez ce qui doit être annulé.',
  '{} cannot be deleted.': '{} ne peut pas être supprimé.',
  '{} cannot return: its files were deleted.': '{} ne peut pas revenir : ses fichiers ont été supprimés.',
  'Photos cannot be put back to what they were before their files were processed.':
    'Les photos ne peuvent pas redevenir ce qu’elles étaient avant le traitement de leurs fichiers.',
  '{} cannot return.': '{} ne peut pas revenir.',
  '{} cannot be put back: {}': '{} ne peut pas être rétabli : {}',
  'What it was before this change is not known.': 'L’état d’avant ce changement n’est pas connu.',
  '{} changed since. Send "force": true to put it back nevertheless.': {
    en: '{} changed since.',
    fr: '{} a changé depuis.',
  },
  '{} is not in the history.': '{} n’est pas dans l’historique.',
  // Photos
  'The upload is too large.': 'Le fichier est trop grand.',
  'A field of the form is too long.': 'Un champ du formulaire est trop long.',
  'The form has too many parts.': 'Le formulaire a trop de parties.',
  'The form must have a file.': 'Le fichier manque.',
  'The form must have a key.': 'La clé manque.',
  'The file is too large (at most {} bytes).': 'Le fichier est trop grand (au plus {} octets).',
  'The file is not a JPEG.': 'Le fichier n’est pas un JPEG.',
  'The JPEG is incomplete: its end is missing.': 'Le JPEG est incomplet : la fin manque.',
  'The picture is too large (at most {} megapixels, and {} pixels a side).':
    'L’image est trop grande (au plus {} mégapixels, et {} pixels de côté).',
  'The upload key was not issued by this server, has expired, or was used: its photo has been created.':
    'La clé d’envoi n’est pas de ce serveur, a expiré, ou a servi.',
  'The photo storage cannot be reached. Please try again later.':
    'Le stockage des photos est injoignable. Réessayez plus tard.',
  // Quotas
  'The storage for photos is full. Delete photos, or ask the operator for more.': fullInFrench.photo_bytes,
  'The account has too many photos. Delete some of them.': fullInFrench.photos,
  'The account has too many sessions. Sign out elsewhere, or set a new password, which ends all of them.':
    'Le compte a trop de sessions. Déconnectez-vous ailleurs, ou changez de mot de passe, ce qui les termine toutes.',
  'The account has too many webhooks. Delete one of them.': 'Le compte a trop de webhooks. Supprimez-en un.',
  'The account has too many personal tokens. Revoke some of them.':
    'Le compte a trop de jetons personnels. Révoquez-en.',
  'The published versions of sequences take too much space. Unpublish some sequences, also deleted ones, or ask the operator for more.':
    {
      en: 'The published versions of programs take too much space. Withdraw some programs, or ask the operator for more.',
      fr: 'Les versions publiées des programmes prennent trop de place. Retirez-en, ou demandez plus de place à l’exploitant.',
    },
  'A virtual robot cannot do this.': 'Un robot virtuel ne peut pas faire cela.',
  'The history is full.': 'L’historique est plein.',
  'The robot is uploading too many files at the same time.': 'Le robot envoie trop de fichiers à la fois.',
  'Another import into this account is in progress.': 'Un autre import dans ce compte est en cours.',
  'Too many commands are waiting for the robot.': 'Trop de commandes attendent le robot.',
  'The account was exported too often. Try again in an hour.':
    'Le compte a été exporté trop souvent. Réessayez dans une heure.',
  // Export and import
  'The file is not a ZIP archive, or it is damaged.': 'Le fichier n’est pas une archive ZIP, ou il est endommagé.',
  'The file is neither JSON nor a ZIP archive.': 'Le fichier n’est ni du JSON ni une archive ZIP.',
  'The account may have at most {} photos, not {}. {}': 'Le compte peut avoir au plus {} photos, pas {}. {}',
  'The photos of the account may have at most {} bytes, not {}. {}':
    'Les photos du compte peuvent avoir au plus {} octets, pas {}. {}',
  'Import fewer photos, or ask the operator for more.':
    'Importez moins de photos, ou demandez plus de place à l’exploitant.',
  'This must be a schema version: the document is not an exported account.': 'Le document n’est pas un compte exporté.',
  'This is missing: the document is not an exported account.': 'Le document n’est pas un compte exporté.',
  'The archive is too large when uncompressed.': 'L’archive décompressée est trop grande.',
  'The archive contains more than {} files.': 'L’archive contient plus de {} fichiers.',
  'The archive contains a file that is not part of an export.':
    'L’archive contient un fichier qui ne fait pas partie d’un export.',
  'The archive is encrypted.': 'L’archive est chiffrée.',
  'The archive uses an unsupported compression method.':
    'L’archive utilise une compression qui n’est pas prise en charge.',
  'The archive contains a file twice.': 'L’archive contient deux fois un fichier.',
  'The archive does not contain {}.': 'L’archive ne contient pas {}.',
  'The document is not an exported account: it must be an object.': 'Le document n’est pas un compte exporté.',
  'Parsing the document takes too long.': 'La lecture du document prend trop de temps.',
  'The document is too large to be parsed.': 'Le document est trop grand pour être lu.',
  'The account was changed during the import. Please try again.': 'Le compte a changé pendant l’import. Réessayez.',
  'The account is not empty ({}). Use mode "merge" or "replace".': {
    en: 'This garden is not empty. Choose above what happens to its records.',
    fr: 'Ce jardin n’est pas vide. Choisissez plus haut ce que deviennent ses données.',
  },
  // Webhooks, Home Assistant, feedback, charts, the language model, the server
  'Too many deliveries are being sent. Wait until some have ended. (At most {}.)':
    'Trop d’envois sont en cours. Attendez que certains soient finis. ({} au plus.)',
  'There is nothing to deliver: the change is no longer in the history, or the creator of the webhook may no longer read it.':
    'Il n’y a rien à envoyer : le changement n’est plus dans l’historique, ou l’auteur du webhook n’y a plus droit.',
  'The operator of this server has not set up Home Assistant.':
    'L’exploitant de ce serveur n’a pas configuré Home Assistant.',
  'An administrator of this server must allow it for this garden first.':
    'Un administrateur de ce serveur doit d’abord l’autoriser pour ce jardin.',
  'On this server, Home Assistant does not connect to the built-in message broker.':
    'Sur ce serveur, Home Assistant ne se connecte pas au courtier de messages intégré.',
  'Switch Home Assistant on for this garden first.': 'Activez d’abord Home Assistant pour ce jardin.',
  'At most {} messages can be sent per day. Please try again tomorrow.':
    'Au plus {} messages par jour. Réessayez demain.',
  'The operator has not read your last {} messages yet. Please try again later.':
    'L’exploitant n’a pas encore lu vos {} derniers messages. Réessayez plus tard.',
  'The span may have at most {} days.': 'La période peut durer au plus {} jours.',
  'There would be more than {} buckets: choose a longer one or `auto`.':
    'Il y aurait plus de {} intervalles : choisissez-en de plus longs.',
  '{} must be a full quarter of an hour.': '« {} » doit être un quart d’heure entier.',
  'Prompt must say what the script should do.': 'Dites ce que le script doit faire.',
  '{} {} event streams of this garden already. Close one first.': {
    en: 'This garden is open in too many tabs. Close one first.',
    fr: 'Ce jardin est ouvert dans trop d’onglets. Fermez-en un d’abord.',
  },
  'The ticket is not valid, was used or has expired. Get another one.':
    'Ce billet n’est pas valide, a servi ou a expiré. Demandez-en un autre.',
  'There are too many unused tickets. Wait half a minute.':
    'Trop de billets n’ont pas servi. Attendez une demi-minute.',
  ...modelSentences,
  'This server has asked the language model too often today. Please try again tomorrow.':
    'Ce serveur a trop interrogé le modèle de langage aujourd’hui. Réessayez demain.',
  'Too many questions to the language model. Please try again later.':
    'Trop de questions au modèle de langage. Réessayez plus tard.',
  'The robot was powered off.': 'Le robot a été éteint.',
  'The robot was reset to factory settings.': 'Le robot a retrouvé ses réglages d’usine.',
  'A backup is already being created.': 'Une sauvegarde est déjà en cours.',
};
