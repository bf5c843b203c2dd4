import { catalogIn } from '../core/catalog.ts';

const en = {
  curve: (name: string) => `the curve '${name}'`,
  webcam: (name: string) => `the webcam feed '${name}'`,
  sequence: (name: string) => `the sequence '${name}'`,
  group: (name: string) => `the group '${name}'`,
  setting: (key: string) => `the setting '${key}'`,
  slot: (tool: string) => `the slot of the tool '${tool}'`,
  tool: (name: string) => `the tool '${name}'`,
  peripheral: (pin: number) => `the peripheral at pin ${pin}`,
  binding: (pin: number) => `the binding of pin ${pin}`,
  sensor: (pin: number) => `the sensor at pin ${pin}`,
  more: (count: number) => ` and ${count} more`,
  existed: (records: string) => `Some records for your robot existed already and were not changed: ${records}.`,
  unshared: (names: string) =>
    `The publisher does not share ${names} at the moment: simpler versions were created instead.`,
  reset:
    'Your garden was not set up, because the account was reset before it could be created. You can choose your robot again.',
  failed: (reason: string) =>
    `Your garden could not be set up, and nothing was created. ${reason} You can choose your robot again.`,
};

const fr: typeof en = {
  curve: (name) => `la courbe « ${name} »`,
  webcam: (name) => `la webcam « ${name} »`,
  sequence: (name) => `le programme « ${name} »`,
  group: (name) => `le groupe « ${name} »`,
  setting: (key) => `le réglage « ${key} »`,
  slot: (tool) => `l’emplacement de l’outil « ${tool} »`,
  tool: (name) => `l’outil « ${name} »`,
  peripheral: (pin) => `le périphérique de la broche ${pin}`,
  binding: (pin) => `le raccourci de la broche ${pin}`,
  sensor: (pin) => `le capteur de la broche ${pin}`,
  more: (count) => ` et ${count} autres`,
  existed: (records) =>
    `Votre jardin avait déjà une partie de ce qu’il faut au robot, qui n’a pas été changée : ${records}.`,
  unshared: (names) =>
    `L’éditeur ne partage pas en ce moment : ${names}. Des versions plus simples ont été créées à la place.`,
  reset:
    'Votre jardin n’a pas été créé, car le compte a été réinitialisé entre-temps. Vous pouvez choisir à nouveau votre robot.',
  failed: (reason) =>
    `Votre jardin n’a pas pu être créé, et rien n’a été ajouté. ${reason} Vous pouvez choisir à nouveau votre robot.`,
};

/** Returns the texts of notices about the creation of a garden. */
export const noticesIn = catalogIn({ en, fr });

/** The texts of {@link noticesIn}. */
export type NoticeTexts = typeof en;
