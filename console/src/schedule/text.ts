import { catalog } from '../ui/language.ts';

type Unit = 'never' | 'minutely' | 'hourly' | 'daily' | 'weekly' | 'monthly' | 'yearly';

type UnitNames = readonly [one: string, many: string];

const units: Readonly<Record<Unit, Readonly<Record<'en' | 'fr', UnitNames>>>> = {
  never: { en: ['once', 'once'], fr: ['une fois', 'une fois'] },
  minutely: { en: ['minute', 'minutes'], fr: ['minute', 'minutes'] },
  hourly: { en: ['hour', 'hours'], fr: ['heure', 'heures'] },
  daily: { en: ['day', 'days'], fr: ['jour', 'jours'] },
  weekly: { en: ['week', 'weeks'], fr: ['semaine', 'semaines'] },
  monthly: { en: ['month of 30 days', 'months of 30 days'], fr: ['mois de 30 jours', 'mois de 30 jours'] },
  yearly: { en: ['year of 365 days', 'years of 365 days'], fr: ['ans de 365 jours', 'ans de 365 jours'] },
};

const frEach = (unit: Unit): string => (['daily', 'monthly', 'yearly'].includes(unit) ? 'Tous' : 'Toutes');

/** `Tous les jours`, `Toutes les 2 semaines`, `Tous les 3 mois de 30 jours`. */
const frEvery = (count: number, unit: Unit): string =>
  `${frEach(unit)} les ${count === 1 ? '' : `${count} `}${units[unit].fr[1]}`;

const words = {
  title: ['Schedule', 'Calendrier'],
  regimens: ['Regimens', 'Régimes'],
  view: ['View', 'Affichage'],
  views: { month: ['Month', 'Mois'], week: ['Week', 'Semaine'], list: ['List', 'Liste'] },
  today: ['Today', 'Aujourd’hui'],
  earlier: ['Earlier', 'Avant'],
  later: ['Later', 'Après'],
  arrowKeys: ['With ← → ↓: go from day to day', 'Avec ← → ↓ : aller d’un jour à l’autre'],
  add: ['Schedule something', 'Planifier'],
  overlap: ['At the same time as another', 'En même temps qu’une autre'],
  nothing: ['Nothing is scheduled here', 'Rien n’est planifié ici'],
  outcomes: {
    done: ['Done', 'Terminé'],
    failed: ['Failed', 'Échec'],
    skipped: ['Skipped: the robot was busy', 'Sauté : le robot était occupé'],
    missed: ['Due while the robot was offline', 'Prévu alors que le robot était hors ligne'],
    stopped: ['Stopped', 'Arrêté'],
    unknown: ['The robot reported neither its end nor an error', 'Le robot n’a signalé ni sa fin ni une erreur'],
  },
  what: ['What to run', 'Quoi exécuter'],
  regimen: ['Regimen', 'Régime'],
  date: ['Day', 'Jour'],
  repeats: ['Repeat', 'Répétition'],
  never: ['Once', 'Une fois'],
  every: ['Every', 'Intervalle'],
  unit: ['Unit', 'Unité'],
  until: ['Until', 'Jusqu’au'],
  untilTime: ['Until, at', 'Jusqu’à'],
  chooseZone: ['Choose a time zone', 'Choisir un fuseau horaire'],
  create: ['Schedule', 'Planifier'],
  saved: ['The schedule was changed.', 'Le calendrier a été modifié.'],
  created: ['It was scheduled.', 'C’est planifié.'],
  deleted: ['It is no longer scheduled.', 'Ce n’est plus planifié.'],
  chooseWhat: ['Choose what to run.', 'Choisissez quoi exécuter.'],
  chooseTime: ['Give a day and a time.', 'Donnez un jour et une heure.'],
  endsBefore: ['The end must be after the start.', 'La fin doit être après le début.'],
  past: ['This time is over: nothing will run.', 'Ce moment est passé : rien ne s’exécutera.'],
  edit: ['Change what is scheduled', 'Modifier ce qui est planifié'],
  look: ['What is scheduled', 'Ce qui est planifié'],
  print: ['Print', 'Imprimer'],
  plan: {
    none: ['No regimens yet', 'Pas encore de régimes'],
    add: ['Add a regimen', 'Ajouter un régime'],
    newName: ['New regimen', 'Nouveau régime'],
    items: ['Plan', 'Plan'],
    runs: ['Runs', 'Exécutions'],
    addItem: ['Add to the plan', 'Ajouter au plan'],
    dayField: ['Day', 'Jour'],
    program: ['Program', 'Programme'],
    time: ['Time', 'Heure'],
    repeatUntil: ['And every so many days until day', 'Et tous les tant de jours jusqu’au jour'],
    everyDays: ['Days between', 'Jours entre deux'],
    values: ['Values of the programs', 'Valeurs des programmes'],
    schedule: ['Schedule it', 'Le planifier'],
    unknownProgram: ['a deleted program', 'un programme supprimé'],
  },
} as const;

const en = {
  addOn: (day: string) => `Schedule something on ${day}`,
  moreRuns: (count: number) => `${count} more`,
  runs: (count: number) => (count === 1 ? '1 run' : `${count} runs`),
  places: (done: number, total: number) => `${done} of ${total} ${total === 1 ? 'place' : 'places'}`,
  nothingHint: 'Programs and regimens that are scheduled run by themselves, also while this page is closed.',
  everySome: (unit: Exclude<Unit, 'never'>) => `Every … ${units[unit].en[1]}`,
  unitsOf: (unit: Unit) => units[unit].en[1],
  inWords: (count: number, unit: Unit, time: string, until: string) =>
    unit === 'never'
      ? `Once, at ${time}.`
      : `Every ${count === 1 ? units[unit].en[0] : `${count} ${units[unit].en[1]}`} from ${time} until ${until}.`,
  planInWords: (time: string) => `The regimen runs once, from ${time}.`,
  zone: (name: string) => `Times are those of the garden: ${name}.`,
  utc: 'The garden has no time zone yet; times are UTC.',
  move: (run: string) => `Move ${run} to another day`,
  moved: (day: string) => `It was moved to ${day}.`,
  plan: {
    runCount: (count: number) => (count === 1 ? '1 run' : `${count} runs`),
    about: 'A regimen runs programs on given days after its start, such as the care of a bed from sowing to harvest.',
    day: (day: number) => `Day ${day}`,
    remove: (name: string) => `Remove ${name}`,
    empty: 'The plan is empty. Add a program, and the day on which it runs.',
    unsaved: 'You have unsaved changes. What is scheduled runs as it was saved.',
    saved: (name: string) => `“${name}” was saved.`,
    created: (name: string) => `“${name}” was added.`,
    deleted: (name: string) => `“${name}” was deleted.`,
  },
};

const fr: typeof en = {
  addOn: (day) => `Planifier quelque chose le ${day}`,
  moreRuns: (count) => `${count} de plus`,
  runs: (count) => (count === 1 ? '1 exécution' : `${count} exécutions`),
  places: (done, total) => `${done} sur ${total} ${total < 2 ? 'endroit' : 'endroits'}`,
  nothingHint: 'Les programmes et régimes planifiés s’exécutent seuls, même quand cette page est fermée.',
  everySome: (unit) => `${frEach(unit)} les … ${units[unit].fr[1]}`,
  unitsOf: (unit) => units[unit].fr[1],
  inWords: (count, unit, time, until) =>
    unit === 'never' ? `Une fois, ${time}.` : `${frEvery(count, unit)}, du ${time} au ${until}.`,
  planInWords: (time) => `Le régime s’exécute une fois, à partir du ${time}.`,
  zone: (name) => `Les heures sont celles du jardin : ${name}.`,
  utc: 'Le jardin n’a pas encore de fuseau horaire ; les heures sont en UTC.',
  move: (run) => `Déplacer ${run} à un autre jour`,
  moved: (day) => `Déplacé au ${day}.`,
  plan: {
    runCount: (count) => (count < 2 ? `${count} exécution` : `${count} exécutions`),
    about:
      'Un régime exécute des programmes certains jours après son début, par exemple les soins d’une planche du semis à la récolte.',
    day: (day) => `Jour ${day}`,
    remove: (name) => `Retirer ${name}`,
    empty: 'Le plan est vide. Ajoutez un programme et le jour où il s’exécute.',
    unsaved: 'Vos modifications ne sont pas enregistrées. Ce qui est planifié suit la version enregistrée.',
    saved: (name) => `« ${name} » a été enregistré.`,
    created: (name) => `« ${name} » a été ajouté.`,
    deleted: (name) => `« ${name} » a été supprimé.`,
  },
};

export const scheduleText = catalog({ en, fr, words });
