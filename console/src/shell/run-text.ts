import { catalog } from '../ui/language.ts';

const words = {
  progress: ['Places that are done', 'Endroits faits'],
  stop: ['Stop after this one', 'Arrêter après celui-ci'],
  goOn: ['Go on', 'Continuer'],
  skip: ['Leave this one out', 'Laisser celui-ci'],
  end: ['End it', 'Terminer'],
  close: ['Close', 'Fermer'],
} as const;

const en = {
  running: (name: string, number: number, total: number, place: string) => `${name}: ${number} of ${total}, ${place}`,
  stopping: (name: string, number: number, total: number, place: string) =>
    `${name}: ends after ${place} (${number} of ${total})`,
  interrupted: (name: string, number: number, total: number, place: string) =>
    `${name} was interrupted at ${place} (${number} of ${total}). Go on?`,
  over: (name: string, done: number, total: number) => `${name}: ${done} of ${total} done.`,
  skipped: (count: number) => (count === 1 ? 'One was left out.' : `${count} were left out.`),
};

const fr: typeof en = {
  running: (name, number, total, place) => `${name} : ${number} sur ${total}, ${place}`,
  stopping: (name, number, total, place) => `${name} : fin après ${place} (${number} sur ${total})`,
  interrupted: (name, number, total, place) => `${name} : interrompu à ${place} (${number} sur ${total}). Continuer ?`,
  over: (name, done, total) => `${name} : ${done} sur ${total} faits.`,
  skipped: (count) => (count === 1 ? 'Un a été laissé.' : `${count} ont été laissés.`),
};

export const runText = catalog({ en, fr, words });
