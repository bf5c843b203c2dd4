import type { Language } from '../core/languages.ts';
import { languageOf } from '../core/languages.ts';
import { Message, messagesIn } from '../core/message.ts';

/** The sentences of today. Times and names are messages, too. */
export const say = messagesIn({
  en: {
    offline: (since: string) => `The robot has been offline since ${since}.`,
    failed: (name: string, time: string, reason: string) => `“${name}” failed at ${time}: ${reason}`,
    skipped: (name: string, time: string) => `“${name}” was skipped at ${time}: the robot was busy for too long.`,
    missed: (name: string, time: string) => `“${name}” was due at ${time}, and the robot was offline.`,
    interrupted: (name: string, place: string, reason: string) => `“${name}” was interrupted at “${place}”: ${reason}`,
    ran: (names: readonly string[]) => `Done today: ${names.join(', ')}.`,
    next: (name: string, time: string) => `Next: “${name}”, ${time}.`,
    dry: (places: readonly string[]) => `Dry: ${places.join('; ')}.`,
    dryAt: (plant: string, x: number, y: number, percent: number) => `${plant} at ${x}, ${y} (${percent} %)`,
    dryPlace: (x: number, y: number, percent: number) => `${x}, ${y} (${percent} %)`,
    ripe: (crops: readonly string[]) => `Ripe: ${crops.join(', ')}.`,
    ripens: (crops: readonly string[]) => `Ripe within a week: ${crops.join(', ')}.`,
    sow: (crops: readonly string[]) => `To be sown or planted this week: ${crops.join(', ')}.`,
    once: (name: string, time: string) => `${name} (${time})`,
    several: (name: string, count: number) => `${name} (${count})`,
    partly: (name: string, done: number, total: number) => `${name} (${done} of ${total})`,
    more: (count: number) => `${count} more`,
    today: (time: string) => `today at ${time}`,
    tomorrow: (time: string) => `tomorrow at ${time}`,
    onDay: (day: string, time: string) => `on ${day} at ${time}`,
  },
  fr: {
    offline: (since) => `Le robot est hors ligne depuis ${since}.`,
    failed: (name, time, reason) => `« ${name} » a échoué à ${time} : ${reason}`,
    skipped: (name, time) => `« ${name} » a été sauté à ${time} : le robot était occupé trop longtemps.`,
    missed: (name, time) => `« ${name} » était prévu à ${time}, et le robot était hors ligne.`,
    interrupted: (name, place, reason) => `« ${name} » a été interrompu à « ${place} » : ${reason}`,
    ran: (names) => `Fait aujourd’hui : ${names.join(', ')}.`,
    next: (name, time) => `Ensuite : « ${name} », ${time}.`,
    dry: (places) => `Sec : ${places.join(' ; ')}.`,
    dryAt: (plant, x, y, percent) => `${plant} en ${x}, ${y} (${percent} %)`,
    dryPlace: (x, y, percent) => `${x}, ${y} (${percent} %)`,
    ripe: (crops) => `Mûr : ${crops.join(', ')}.`,
    ripens: (crops) => `Mûr d’ici une semaine : ${crops.join(', ')}.`,
    sow: (crops) => `À semer ou à planter cette semaine : ${crops.join(', ')}.`,
    once: (name, time) => `${name} (${time})`,
    several: (name, count) => `${name} (${count})`,
    partly: (name, done, total) => `${name} (${done} sur ${total})`,
    more: (count) => `${count} de plus`,
    today: (time) => `aujourd’hui à ${time}`,
    tomorrow: (time) => `demain à ${time}`,
    onDay: (day, time) => `${day} à ${time}`,
  },
});

const locales: Readonly<Record<Language, string>> = { en: 'en-US', fr: 'fr-FR' };

/** Returns a time (ms) as a message, in the language of its reader. */
export const timeIn = (zone: string, at: number, options: Intl.DateTimeFormatOptions): Message =>
  new Message((reader) =>
    new Intl.DateTimeFormat(locales[languageOf(reader)], { timeZone: zone, ...options }).format(at),
  );
