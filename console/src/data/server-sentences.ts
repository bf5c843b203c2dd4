import { fullInFrench } from '../../../src/photos/full-storage-texts.ts';
import { gardenSentences, type Words } from './garden-sentences.ts';
import { programSentences } from './program-sentences.ts';
import { reportSentences } from './report-sentences.ts';
import { robotSentences } from './robot-sentences.ts';

/** Messages of the API about fields: `{field}`, and `{}` at the beginning, is the field. */
export const fieldSentences: Readonly<Record<string, Words>> = {
  '{} is required.': '« {} » est obligatoire.',
  '{} must not be null.': '« {} » est obligatoire.',
  '{} must not be blank.': '« {} » ne doit pas rester vide.',
  '{} must be text.': '« {} » doit être un texte.',
  '{} must be a number.': '« {} » doit être un nombre.',
  '{} must be a whole number.': '« {} » doit être un nombre entier.',
  '{} must be sent once.': '« {} » ne doit être envoyé qu’une fois.',
  '{} must be true or false.': '« {} » doit être oui ou non.',
  '{} must be a list.': '« {} » doit être une liste.',
  '{} must be an object.': '« {} » doit être un objet.',
  '{} must be text or an object.': '« {} » doit être un texte ou un objet.',
  '{} must be one of {}.': '« {} » doit être une de ces valeurs : {}.',
  '{} must be one of {} for a sequence.': '« {} » doit être une de ces valeurs pour un programme : {}.',
  '{} must be one of your own {}.': {
    en: '{} must be something of this garden.',
    fr: '« {} » doit être un élément de ce jardin.',
  },
  '{} must be between {} and {}.': '« {} » doit être compris entre {} et {}.',
  '{} is out of range.': '« {} » est hors limites.',
  '{} is invalid.': '« {} » n’est pas valide.',
  '{} is too small (at least {}).': '« {} » doit valoir au moins {}.',
  '{} is too big (at most {}).': '« {} » doit valoir au plus {}.',
  '{} is too big (it must be less than {}).': '« {} » doit être inférieur à {}.',
  '{} may be at most {}.': '« {} » doit valoir au plus {}.',
  '{} is too short (at least {} characters).': '« {} » doit avoir au moins {} caractères.',
  '{} is too short: it needs at least {} characters.': '« {} » doit avoir au moins {} caractères.',
  '{} is too long (at most {} characters).': '« {} » doit avoir au plus {} caractères.',
  '{} is too long (at most {} bytes).': '« {} » doit avoir au plus {} octets.',
  '{} is too large (at most {} bytes).': '« {} » doit avoir au plus {} octets.',
  '{} is too large (at most {} names, {} values and {} characters).':
    '« {} » doit avoir au plus {} noms, {} valeurs et {} caractères.',
  '{} has too many entries.': '« {} » a trop d’entrées.',
  '{} are too long in total.': '« {} » : le tout est trop long.',
  '{} must have at most {} elements.': '« {} » doit avoir au plus {} éléments.',
  '{} must contain text at position {}.': '« {} » doit contenir un texte à la position {}.',
  '{} must be a list of at most {} names.': '« {} » doit être une liste d’au plus {} noms.',
  '{} must be a list of at least one scope.': 'Choisissez au moins un droit.',
  '{} must be of {}.': '« {} » : choisissez parmi {}.',
  '{} must only contain {}.': '« {} » : choisissez parmi {}.',
  '{} must be an http or https address.': '« {} » doit être une adresse qui commence par http:// ou https://.',
  '{} must not contain a user name or a password.': '« {} » ne doit contenir ni nom d’utilisateur ni mot de passe.',
  '{} must not contain / + # . * or control characters.':
    '« {} » ne doit contenir ni / + # . * ni caractères de contrôle.',
  '{} must not contain control characters, nor begin or end with a space.':
    '« {} » ne doit contenir aucun caractère de contrôle, ni commencer ou finir par une espace.',
  '{} must begin with http://, https:// or a single slash.':
    '« {} » doit commencer par http://, https:// ou une seule barre oblique.',
  '{} is not a name of the tz database.': '« {} » n’est pas un fuseau horaire connu.',
  '{} is a pin that the robot uses itself.': '« {} » : le robot utilise lui-même cette broche.',
  '{} is not an e-mail address.': '« {} » n’est pas une adresse e-mail.',
  '{} must be in the future.': '« {} » doit être dans le futur.',
  'This {field} is already taken.': { en: '{} is already taken.', fr: '« {} » : cette valeur est déjà prise.' },
  '{} must be a semantic version.': '« {} » doit être une version comme 15.4.6.',
  '{} must be 0x and hexadecimal digits.': '« {} » doit être 0x et des chiffres hexadécimaux.',
  '{} must be the id of an event.': '« {} » doit être le numéro d’un événement.',
  '{} must be some of {}, separated by commas.': '« {} » : choisissez parmi {}, séparés par des virgules.',
  '{} is required for {}.': '« {} » est obligatoire pour {}.',
  '{} must be a list of different functions of {}.': '« {} » doit être une liste de fonctions parmi {}.',
  'Element {} must be {}.': 'L’élément {} doit être {}.',
  'Each item must be an object.': 'Chaque élément doit être un objet.',
  'This must be true or false.': 'Cette valeur doit être oui ou non.',
  'This must be the id of a change.': 'Cette valeur doit être le numéro d’un changement.',
  'This must be the `request` of a change.': 'Cette valeur doit être la requête d’un changement.',
  'This must be a date and time, such as {}.': 'Cette valeur doit être une date et une heure, comme {}.',
  'This must be one of {}.': 'Choisissez une de ces valeurs : {}.',
  'This must be the id of a user, or one of {}.': 'Choisissez une personne, ou une de ces valeurs : {}.',
};

/** Messages of the API about requests as a whole. */
const ofRequests: Readonly<Record<string, Words>> = {
  'A required parameter is missing.': 'Un paramètre obligatoire manque.',
  'You need to send a token in the Authorization header.': {
    en: 'Sign in first.',
    fr: 'Connectez-vous d’abord.',
  },
  'The token is not valid, has expired or was revoked. Sign in again.': {
    en: 'Your session has ended. Sign in again.',
    fr: 'Votre session est terminée. Connectez-vous de nouveau.',
  },
  'You are not allowed to do this.': 'Vous n’avez pas le droit de faire cela.',
  'Not found.': 'Introuvable.',
  '{} not found.': 'Introuvable : {}.',
  'This address was not found.': 'Cette adresse est introuvable.',
  'This record was changed in the meantime. Load it again before changing it.':
    'Cet élément a changé entre-temps. Rechargez-le avant de le modifier.',
  'This was done already.': 'C’est déjà fait.',
  'The request body is too large.': 'La requête est trop grande.',
  'The request URL is too long.': 'L’adresse de la requête est trop longue.',
  'The request headers are too large.': 'Les en-têtes de la requête sont trop grands.',
  'This content type is not supported.': 'Ce type de contenu n’est pas pris en charge.',
  'Some fields are invalid.': 'Certains champs ne sont pas valides.',
  'The request was refused.': 'La requête a été refusée.',
  'The request body must be a JSON object.': 'La requête doit être un objet JSON.',
  'The request body is not valid JSON.': 'La requête n’est pas du JSON valide.',
  'The JSON is nested more than {} levels deep.': 'Le JSON est imbriqué sur plus de {} niveaux.',
  'The JSON has more than {} commas, colons and opening brackets.':
    'Le JSON a plus de {} virgules, deux-points et crochets ou accolades ouvrants.',
  'The JSON has more than {} different combinations of keys.': 'Le JSON a plus de {} combinaisons différentes de clés.',
  'A garden may have {} photos and manifests fetched from other servers per minute.':
    'Un jardin peut faire charger {} photos et descriptions d’autres serveurs par minute.',
  'The request body must be a JSON array of 1 to {} requests.': 'La requête doit être une liste de 1 à {} requêtes.',
  'The answers would be larger than {} MiB.': 'Les réponses dépasseraient {} Mio.',
  'The body must be a JSON object.': 'La requête doit être un objet JSON.',
  'The body needs an object "user" with "email" and "password".': 'L’adresse e-mail et le mot de passe manquent.',
  'This version of the robot is too old. Please upgrade its operating system.':
    'Cette version du robot est trop ancienne. Mettez son système à jour.',
  'Too many requests. Please wait a few minutes and try again.':
    'Trop de requêtes. Attendez quelques minutes et réessayez.',
  'There are too many of these at the moment. Close one first.': 'Il y en a trop en ce moment. Fermez-en un d’abord.',
  'You must agree to the terms of service first.': 'Acceptez d’abord les conditions d’utilisation.',
  'Something went wrong on the server.': 'Une erreur s’est produite sur le serveur.',
  'Something went wrong on the server ({}).': 'Une erreur s’est produite sur le serveur ({}).',
  'There is no room for more.': 'Il n’y a plus de place.',
  'The server is temporarily unavailable. Please try again in a moment.':
    'Le serveur est momentanément indisponible. Réessayez dans un instant.',
  'The server is stopping.': 'Le serveur s’arrête.',
  'The server cannot use its disk at the moment. Please try again later.':
    'Le serveur ne peut pas utiliser son disque en ce moment. Réessayez plus tard.',
  'The disk of the server is full.': 'Le disque du serveur est plein.',
  'The disk of the server is almost full: it accepts no uploads, imports and backups at the moment. Ask the operator to free some space.':
    fullInFrench.disk,
  'A number in the body is too large.': 'Un nombre est trop grand.',
  'The parameter {} is missing.': 'Le paramètre {} manque.',
  'The connection ended in the middle of the body.': 'La connexion a été coupée pendant l’envoi.',
  'Part {} ({}): {}': { en: '{2}', fr: '{2}' },
  '{} was not found.': 'Introuvable : {}.',
  'There may be at most {} {}.': 'Le maximum est atteint : {} {}.',
  'This account cannot do this: it may have no {}.': 'Ce compte ne peut pas faire cela : il ne peut pas avoir de {}.',
  'This refers to a record that does not exist, or another record refers to it.':
    'Cet élément en désigne un qui n’existe pas, ou un autre le désigne.',
};

/** Messages of the API about accounts, members and rights. */
const ofAccounts: Readonly<Record<string, Words>> = {
  'Bad email or password.': 'L’adresse e-mail ou le mot de passe est faux.',
  'Password is wrong.': 'Le mot de passe est faux.',
  'The password is wrong.': 'Le mot de passe est faux.',
  'Password is not your current one.': 'Ce n’est pas votre mot de passe actuel.',
  'Password does not match its confirmation.': 'Les deux mots de passe diffèrent.',
  'Email is already registered.': 'Il y a déjà un compte avec cette adresse.',
  'Email must belong to a domain that this server accepts.': 'Ce serveur n’accepte pas d’adresses de ce domaine.',
  'Please agree to the terms of service.': 'Acceptez les conditions d’utilisation.',
  'Administrator code is wrong, or there is an account already.':
    'Le code d’administrateur est faux, ou il y a déjà un compte.',
  'Invitation has expired, was used or withdrawn, or is for another address.':
    'L’invitation a expiré, a servi, a été retirée, ou est pour une autre adresse.',
  'To change your e-mail address, sign in again or send your current password.':
    'Pour changer d’adresse e-mail, reconnectez-vous ou donnez votre mot de passe actuel.',
  'The address of a demo account cannot be changed.': 'L’adresse d’un compte de démonstration ne peut pas changer.',
  'The address of a demo account cannot be changed. Please sign up for an account.':
    'L’adresse d’un compte de démonstration ne peut pas changer. Créez un compte.',
  'This is the address of the account already.': 'C’est déjà l’adresse du compte.',
  'This account is already verified.': 'Ce compte est déjà confirmé.',
  'This address was already verified. You can sign in.':
    'Cette adresse est déjà confirmée. Vous pouvez vous connecter.',
  'The link was not found: it may be incomplete, expired or withdrawn.':
    'Ce lien est introuvable : il est peut-être incomplet, expiré ou retiré.',
  'This link has expired, was used already, or is not complete. Ask for a new one.':
    'Ce lien a expiré, a déjà servi, ou n’est pas complet. Demandez-en un autre.',
  'The signature of this link is wrong.': 'La signature de ce lien est fausse.',
  'This account is disabled. Please ask the operator of the server.':
    'Ce compte est désactivé. Adressez-vous à l’exploitant du serveur.',
  'Please confirm your e-mail address first: open the link in the mail that we sent you.':
    'Confirmez d’abord votre adresse e-mail : ouvrez le lien du message que nous vous avons envoyé.',
  'Please check your e-mail.': 'Consultez votre messagerie.',
  'If there is an account with this address that is not confirmed, a message is on its way.':
    'S’il existe un compte non confirmé avec cette adresse, un message est en route.',
  'The session of a robot cannot do this. Sign in with your password.':
    'La session d’un robot ne peut pas faire cela. Connectez-vous avec votre mot de passe.',
  'Send your current password as `password`, or sign in again.': {
    en: 'Enter your password, or sign in again.',
    fr: 'Donnez votre mot de passe, ou reconnectez-vous.',
  },
  'To replace the account, send your password in the header {}.': {
    en: 'To replace the account, enter your password.',
    fr: 'Pour remplacer le compte, donnez votre mot de passe.',
  },
  'This session is of another garden. Use that of your own garden for your account.':
    'Cette session est celle d’un autre jardin. Ouvrez votre propre jardin pour votre compte.',
  'This session is of another garden. Only your own garden can be replaced.':
    'Cette session est celle d’un autre jardin. Seul le vôtre peut être remplacé.',
  'The e-mail address of the account was changed, and the old one can take that back until {} UTC. Delete the account after that.':
    'L’adresse e-mail du compte a changé, et l’ancienne peut annuler cela jusqu’au {} UTC. Supprimez le compte ensuite.',
  'You are the last owner of {}. To delete them with your account, send their ids as gardens.': {
    en: 'You are the last owner of {}. Choose whether to delete them with your account.',
    fr: 'Vous êtes le dernier propriétaire de : {}. Choisissez s’ils doivent être supprimés avec votre compte.',
  },
  'This server does not accept new accounts.': 'Ce serveur n’accepte pas de nouveaux comptes.',
  'This server has no demo accounts.': 'Ce serveur n’a pas de comptes de démonstration.',
  'This server has too many demo accounts. Please try again in an hour.':
    'Ce serveur a trop de comptes de démonstration. Réessayez dans une heure.',
  'Too many demo accounts were requested. Please try again in an hour.':
    'Trop de comptes de démonstration ont été demandés. Réessayez dans une heure.',
  'There is no account with this e-mail address and password.':
    'Il n’y a pas de compte avec cette adresse e-mail et ce mot de passe.',
  'Email and password are too long to be encrypted.':
    'L’adresse e-mail et le mot de passe sont trop longs pour être chiffrés.',
  'These credentials were not encrypted for this server. Set up the robot again.':
    'Ces identifiants n’ont pas été chiffrés pour ce serveur. Configurez de nouveau le robot.',
  'A demo account has one garden. Please sign up.': 'Un compte de démonstration a un seul jardin. Créez un compte.',
  'A demo account cannot invite. Please sign up for an account.':
    'Un compte de démonstration ne peut inviter personne. Créez un compte.',
  'A demo account cannot administer the server.': 'Un compte de démonstration ne peut pas administrer le serveur.',
  'A demo account cannot send feedback. Create an account first.':
    'Un compte de démonstration ne peut pas envoyer de message. Créez d’abord un compte.',
  'Demo accounts cannot publish. Create an account first.':
    'Un compte de démonstration ne peut pas publier. Créez d’abord un compte.',
  'Demo accounts cannot install farmware.': 'Un compte de démonstration ne peut pas installer de farmware.',
  'Demo accounts cannot ask the language model.':
    'Un compte de démonstration ne peut pas interroger le modèle de langage.',
  'You own {} more gardens already.': 'Vous avez déjà {} autres jardins.',
  'This needs the role owner; your role there is {}.': 'Il faut y être propriétaire.',
  'This needs the role {}; your role in this garden is {}.': 'Votre rôle dans ce jardin ne permet pas cela.',
  'This needs the right to write {}, which you do not have.': 'Votre rôle dans ce jardin ne permet pas cela.',
  'A personal token cannot do this. Sign in with your password.':
    'Un jeton personnel ne peut pas faire cela. Connectez-vous avec votre mot de passe.',
  'The token does not have the scope {}.': 'Le jeton n’a pas ce droit : {}.',
  'Your token may not read {}.': 'Votre jeton ne permet pas de lire {}.',
  'A temporary token cannot do this. Use the token of your session.':
    'Un jeton temporaire ne peut pas faire cela. Utilisez celui de votre session.',
  'Scopes can only become fewer. Create another token.':
    'Les droits peuvent seulement être réduits. Créez un autre jeton.',
  'The robot of your home garden signs in with your password.':
    'Le robot de votre propre jardin se connecte avec votre mot de passe.',
  'A garden has at most {} people and {} open invitations.':
    'Un jardin a au plus {} personnes et {} invitations ouvertes.',
  'The garden has too many people.': 'Le jardin a trop de personnes.',
  'The invitation was not found: it has expired, was used or withdrawn.':
    'L’invitation est introuvable : elle a expiré, a servi ou a été retirée.',
  'This invitation is for another e-mail address. Sign in with that one.':
    'Cette invitation est pour une autre adresse e-mail. Connectez-vous avec celle-là.',
  'The last owner cannot leave. Make another member an owner first.':
    'Le dernier propriétaire ne peut pas partir. Nommez d’abord un autre propriétaire.',
  'This is the home garden of the user, who always owns it.':
    'C’est le jardin personnel de cette personne, qui en reste propriétaire.',
  'Only administrators of this server can do this, signed in as a person.':
    'Seuls les administrateurs de ce serveur peuvent faire cela.',
  'You cannot do this to your own account.': 'Vous ne pouvez pas faire cela à votre propre compte.',
  'Confirmed cannot be taken back.': 'Une confirmation ne peut pas être retirée.',
  'There is no user with that e-mail address.': 'Il n’y a pas de compte avec cette adresse e-mail.',
};

/** THE list of the API's messages that the console rewords: in French all of them, in English those for programmers. */
export const sentences: Readonly<Record<string, Words>> = {
  ...fieldSentences,
  ...ofRequests,
  ...ofAccounts,
  ...gardenSentences,
  ...programSentences,
  ...reportSentences,
  ...robotSentences,
};
