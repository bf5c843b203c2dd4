import { messagesIn } from '../core/message.ts';

/** Messages of the API about the device, its configs and its logs. */
export const say = messagesIn({
  en: {
    ownTool: 'The mounted tool must be one of your tools.',
    otherNumber: 'This order number belongs to another device. If you have several robots, add -1, -2 and so on.',
    otherGarden: 'This session belongs to another garden. Only your own garden can be replaced.',
    otaHour: 'The hour of updates must be between 0 and 23.',
    secret: 'This log may contain a secret and was not stored.',
    installed: (version: string) => `Version ${version} is already installed.`,
    platform: (platforms: string) => `Platform must be one of ${platforms}.`,
    timeZone: (field: string) => `${field} is not a name of the tz database.`,
    hexadecimal: (field: string) => `${field} must be 0x and hexadecimal digits.`,
    version: (field: string) => `${field} must be a semantic version.`,
    textAt: (field: string, position: number) => `${field} must contain text at position ${position}.`,
    longChannels: (field: string) => `${field} are too long in total.`,
  },
  fr: {
    ownTool: 'L’outil monté doit être un de vos outils.',
    otherNumber: 'Ce numéro de commande est celui d’un autre robot. Si vous en avez plusieurs, ajoutez -1, -2, etc.',
    otherGarden: 'Cette session est celle d’un autre jardin. Seul le vôtre peut être remplacé.',
    otaHour: 'L’heure des mises à jour doit être comprise entre 0 et 23.',
    secret: 'Ce message contient peut-être un secret et n’a pas été enregistré.',
    installed: (version) => `La version ${version} est déjà installée.`,
    platform: (platforms) => `La plateforme doit être une de celles-ci : ${platforms}.`,
    timeZone: (field) => `« ${field} » n’est pas un fuseau horaire connu.`,
    hexadecimal: (field) => `« ${field} » doit être 0x et des chiffres hexadécimaux.`,
    version: (field) => `« ${field} » doit être une version comme 15.4.6.`,
    textAt: (field, position) => `« ${field} » doit contenir un texte à la position ${position}.`,
    longChannels: (field) => `« ${field} » : le tout est trop long.`,
  },
  api: {
    ownTool: 'Mounted Tool ID must be one of your own tools.',
    otaHour: 'Ota Hour must be between 0 and 23.',
  },
});
