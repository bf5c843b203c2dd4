import { messagesIn } from '../core/message.ts';

/** Messages of virtual robots. Their logs are stored in the English of the API, and the console reads them back. */
export const sayOfRobot = messagesIn({
  en: {
    ready: 'The virtual robot is ready.',
    boots: 'Runs the boot sequence.',
    restarting: 'Restarting.',
    poweredOff: 'The robot was powered off.',
    factoryReset: 'The robot was reset to factory settings.',
    emergencyStop: 'Emergency stop.',
    unlocked: 'Unlocked.',
    upToDate: 'A virtual robot is always up to date.',
    skipped: (what: string) => `A virtual robot has no ${what}: the step was skipped.`,
    runs: (name: string, time: string) => `Runs "${name}", scheduled for ${time}.`,
    missed: (name: string, time: string) =>
      `Skipped "${name}", scheduled for ${time}: the robot was busy for too long.`,
    failed: (name: string, time: string, problem: string) =>
      `Failed to run "${name}", scheduled for ${time}: ${problem}`,
    misreadFormula: 'A robot takes a formula with "=" for a statement, and fails: begin it with "return".',
    ignoresArguments: (signature: string) => `${signature} takes no more: a robot ignores other arguments.`,
    ignoresField: (name: string, field: string) => `A robot ignores "${field}", which ${name} does not take.`,
    longList: 'A robot passes lists of more than 32 elements in another order.',
    noRequests: 'This virtual robot sends no requests to other servers: http returned nil.',
    started: (name: string) => `Started "${name}".`,
    step: (name: string, number: number, kind: string) => `"${name}", step ${number}: ${kind}.`,
    completed: (name: string) => `Completed "${name}".`,
    trueRuns: (name: string, value: string, condition: string) =>
      `${name} is ${value}: “${condition}” is true, so it runs a program.`,
    trueContinues: (name: string, value: string, condition: string) =>
      `${name} is ${value}: "${condition}" is true, so it continues.`,
    falseRuns: (name: string, value: string, condition: string) =>
      `${name} is ${value}: “${condition}” is false, so it runs a program.`,
    falseContinues: (name: string, value: string, condition: string) =>
      `${name} is ${value}: "${condition}" is false, so it continues.`,
    passed: 'The assertion passed: the program continues.',
    failedContinues: 'The assertion failed: the program continues.',
    failedRecoversContinues: 'The assertion failed: the program recovers and continues.',
    failedEnds: 'The assertion failed: the program ends.',
    failedRecoversEnds: 'The assertion failed: the program recovers and ends.',
    moved: (place: string) => `Moved to ${place}.`,
    stoppedAtEnd: (axis: string, end: number, target: number) =>
      `${axis} stops at ${end}, the end of the axis, instead of ${target}.`,
    slipped: (axis: string, end: number, target: number) =>
      `${axis} ends at ${end}: a real robot loses its position on the way to ${target}, without noticing.`,
    belowSoil: (place: string, depth: number) => `${place} is ${depth} mm below the soil.`,
    notEvaluated: 'The assertion could not be evaluated: the program ends.',
    waited: (milliseconds: number) => `Waited ${milliseconds} ms.`,
    set: (name: string, value: number) => `Set ${name} to ${value}.`,
    read: (value: number, name: string) => `Read ${value} from ${name}.`,
    servo: (name: string, angle: number) => `Turned the servo on ${name} to ${angle} degrees.`,
    made: (name: string, mode: string) => `Made ${name} an ${mode}.`,
    changed: (what: string, changes: string) => `Changed ${what}: ${changes}.`,
    tookPhoto: 'Took a photo.',
    calibrated: 'Calibrated the camera.',
    soil: (place: string) => `The soil at ${place} was measured.`,
    fewSoilHeights: (min: number, height: number) =>
      `Fewer than ${min} soil heights are measured: the robot takes ${height} mm.`,
  },
  fr: {
    ready: 'Le robot virtuel est prêt.',
    boots: 'Le programme du démarrage est exécuté.',
    restarting: 'Redémarrage.',
    poweredOff: 'Le robot a été éteint.',
    factoryReset: 'Le robot a été remis à ses réglages d’usine.',
    emergencyStop: 'Arrêt d’urgence.',
    unlocked: 'Déverrouillé.',
    upToDate: 'Un robot virtuel est toujours à jour.',
    skipped: (what) => `Un robot virtuel n’a pas ce qu’il faut (${what}) : l’étape a été sautée.`,
    runs: (name, time) => `« ${name} » est exécuté comme prévu à ${time}.`,
    missed: (name, time) => `« ${name} », prévu à ${time}, a été sauté : le robot était occupé trop longtemps.`,
    failed: (name, time, problem) => `« ${name} », prévu à ${time}, a échoué : ${problem}`,
    misreadFormula:
      'Un robot prend une formule avec « = » pour une instruction, et échoue : commencez-la par « return ».',
    ignoresArguments: (signature) => `${signature} ne prend rien de plus : un robot ignore les autres arguments.`,
    ignoresField: (name, field) => `Un robot ignore « ${field} », que ${name} ne prend pas.`,
    longList: 'Un robot transmet les listes de plus de 32 éléments dans un autre ordre.',
    noRequests: 'Ce robot virtuel n’envoie pas de requêtes à d’autres serveurs : http a renvoyé nil.',
    started: (name) => `« ${name} » a commencé.`,
    step: (name, number, kind) => `« ${name} », étape ${number} : ${kind}.`,
    completed: (name) => `« ${name} » est terminé.`,
    trueRuns: (name, value, condition) =>
      `${name} : ${value}. « ${condition} » est vrai, donc un programme est exécuté.`,
    trueContinues: (name, value, condition) =>
      `${name} : ${value}. « ${condition} » est vrai, donc le programme continue.`,
    falseRuns: (name, value, condition) =>
      `${name} : ${value}. « ${condition} » est faux, donc un programme est exécuté.`,
    falseContinues: (name, value, condition) =>
      `${name} : ${value}. « ${condition} » est faux, donc le programme continue.`,
    passed: 'L’assertion est vérifiée : le programme continue.',
    failedContinues: 'L’assertion a échoué : le programme continue.',
    failedRecoversContinues: 'L’assertion a échoué : le programme se rattrape et continue.',
    failedEnds: 'L’assertion a échoué : le programme se termine.',
    failedRecoversEnds: 'L’assertion a échoué : le programme se rattrape et se termine.',
    moved: (place) => `Arrivé en ${place}.`,
    stoppedAtEnd: (axis, end, target) => `${axis} s’arrête à ${end}, au bout de l’axe, au lieu de ${target}.`,
    slipped: (axis, end, target) =>
      `${axis} finit à ${end} : un vrai robot perd sa position en allant à ${target}, sans le remarquer.`,
    belowSoil: (place, depth) => `${place} est ${depth} mm sous le sol.`,
    notEvaluated: 'L’assertion n’a pas pu être évaluée : le programme se termine.',
    waited: (milliseconds) => `Attente de ${milliseconds} ms.`,
    set: (name, value) => `${name} : réglé à ${value}.`,
    read: (value, name) => `${name} : ${value} mesuré.`,
    servo: (name, angle) => `Servomoteur de ${name} : tourné à ${angle} degrés.`,
    made: (name, mode) => `${name} : maintenant ${mode}.`,
    changed: (what, changes) => `Modification de ${what} : ${changes}.`,
    tookPhoto: 'Photo prise.',
    calibrated: 'Caméra étalonnée.',
    soil: (place) => `Le sol a été mesuré en ${place}.`,
    fewSoilHeights: (min, height) => `Moins de ${min} hauteurs de sol sont mesurées : le robot prend ${height} mm.`,
  },
  api: {
    trueRuns: (name, value, condition) => `${name} is ${value}: "${condition}" is true, so it runs a sequence.`,
    falseRuns: (name, value, condition) => `${name} is ${value}: "${condition}" is false, so it runs a sequence.`,
  },
});
