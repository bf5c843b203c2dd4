import { messagesIn } from '../core/message.ts';

/** Joins items as `a, b or c`. */
function joined(items: readonly string[], last: string): string {
  const before = items.slice(0, -1).join(', ');
  return `${before && `${before} ${last} `}${items.at(-1)}`;
}

/** The messages of the check of programs, besides the words for values. Texts of clients are cut before. */
export const say = messagesIn({
  en: {
    // The places of problems
    inStep: (step: number, problem: string) => `Step ${step}: ${problem}`,
    inEntry: (entry: number, problem: string) => `Entry ${entry}: ${problem}`,
    inVariables: (problem: string) => `Variables: ${problem}`,
    // Structure
    tooDeep: (levels: number) => `Nodes are nested more than ${levels} levels deep.`,
    tooLarge: (max: number, things: string) => `A program has at most ${max} ${things}.`,
    noObject: 'The "args" of a sequence must be an object.',
    noList: 'The "body" of a sequence must be a list of steps.',
    noNode: (kind: string, given: string) =>
      `The body of ${kind} must hold nodes (objects with \`kind\` and \`args\`), not ${given}.`,
    // Nodes
    unknownStep: (kind: string, _parent: string, _kinds: string) => `There is no kind of step “${kind}”.`,
    unknownKind: (kind: string) => `Unknown kind "${kind}".`,
    misplaced: (kind: string, parent: string) => `${kind} is not allowed in the body of ${parent}.`,
    emptyBody: (kind: string) => `The body of ${kind} must be empty.`,
    contents: (kind: string, kinds: string) => `The body of ${kind} can contain ${kinds}.`,
    missingArgument: (kind: string, arg: string, _required: string, _sent: string) => `${kind}: “${arg}” is missing.`,
    noArguments: (kind: string, arg: string) => `${kind} has no argument "${arg}": it takes no arguments.`,
    otherArguments: (kind: string, arg: string, args: string) =>
      `${kind} has no argument "${arg}": it only takes ${args}.`,
    neverStored: (kind: string) => `${kind} cannot be part of a program. Please delete this step.`,
    placeholder: (_kind: string) => 'Choose a value for every variable.',
    longComment: (kind: string, max: number, count: number) =>
      `The comment of ${kind} must have at most ${max} characters, not ${count}.`,
    // Values of arguments
    wrongValue: (arg: string, kind: string, values: string, given: string) =>
      `"${arg}" of ${kind} must be ${values}, not ${given}.`,
    unknownValue: (arg: string, kind: string, values: string, given: string) =>
      `"${arg}" of ${kind} must be ${values}, not ${given}, which is unknown.`,
    wrongVariable: (arg: string, kind: string, values: string, variable: string, held: string) =>
      `"${arg}" of ${kind} must be ${values}, but the variable "${variable}" holds ${held}.`,
    noParameter: (arg: string, kind: string, values: string, variable: string) =>
      `"${arg}" of ${kind} must be ${values}. The variable "${variable}" does not fit here, because it is set when the program is run.`,
    unchosenVariable: (arg: string, kind: string) => `“${arg}” of ${kind}: no variable is chosen yet.`,
    undeclaredVariable: (arg: string, kind: string, variable: string) =>
      `“${arg}” of ${kind} is the variable “${variable}”, which the program does not have.`,
    noVariables: (arg: string, kind: string, variable: string) =>
      `"${arg}" of ${kind} is the variable "${variable}", but there are no variables here.`,
    tooGreat: (arg: string, kind: string, number: number) => `"${arg}" of ${kind} is too large: ${number}.`,
    aboveMax: (arg: string, kind: string, max: number, number: number) =>
      `"${arg}" of ${kind} must be at most ${max}, not ${number}.`,
    wrongLength: (arg: string, kind: string, min: number, max: number, count: number) =>
      `"${arg}" of ${kind} must have ${min} to ${max} characters, not ${count}.`,
    longText: (arg: string, kind: string, max: number, count: number) =>
      `"${arg}" of ${kind} is too long: as JSON it must have at most ${max} characters, not ${count}.`,
    missingRecord: (_arg: string, kind: string, id: number, _noun: string) =>
      `“${kind}”: number ${id} is not in this garden. It may have been deleted.`,
    noRecord: (_arg: string, kind: string, _noun: string) => `“${kind}” is not chosen yet.`,
    analogLight: (kind: string, light: string) => `${kind}: ${light} is digital, and takes no analog values.`,
    // Values to pick
    pick: (value: string, kind: string) => `Please pick ${value} for ${kind}.`,
    pickProgram: (kind: string) => `Choose a program for “${kind}”.`,
    // Warnings
    luaSyntax: (problem: string) => `This is not Lua: ${problem}.`,
    unknownFunction: (line: number, name: string) => `Line ${line}: neither Lua nor a robot has a function "${name}".`,
    wrongArguments: (line: number, signature: string) =>
      `Line ${line}: these arguments end the script on a robot. It is ${signature}.`,
    ignoredArguments: (line: number, signature: string) =>
      `Line ${line}: a robot ignores some of these arguments. It is ${signature}.`,
    misreadFormula: 'A robot takes a formula with "=" for a statement, and fails. Begin it with "return".',
    luaStatement:
      'A robot takes one line of Lua without "=" and "return" as a formula. Write statements on more lines.',
    unreadPin:
      'No step before reads this pin. While its value is unknown, a robot takes it for greater than any number.',
    unknownVariable: (variable: string) => `Lua uses the variable “${variable}”, which the program does not have.`,
    unsetVariable: (program: string, variable: string) => `"${program}" needs a value for its variable "${variable}".`,
  },
  fr: {
    inStep: (step, problem) => `Étape ${step} : ${problem}`,
    inEntry: (entry, problem) => `Entrée ${entry} : ${problem}`,
    inVariables: (problem) => `Variables : ${problem}`,
    tooDeep: (levels) => `Les éléments sont imbriqués sur plus de ${levels} niveaux.`,
    tooLarge: (max, things) => `Un programme a au plus ${max} ${things}.`,
    noObject: 'Les variables du programme ne sont pas lisibles.',
    noList: 'Un programme doit être une liste d’étapes.',
    noNode: (kind, given) => `« ${kind} » ne peut contenir que des éléments de programme, pas ${given}.`,
    unknownStep: (kind) => `Il n’y a pas d’étape « ${kind} ».`,
    unknownKind: (kind) => `Élément inconnu : « ${kind} ».`,
    misplaced: (kind, parent) => `« ${kind} » n’a pas sa place dans « ${parent} ».`,
    emptyBody: (kind) => `« ${kind} » doit rester vide.`,
    contents: (kind, kinds) => `« ${kind} » peut contenir : ${kinds}.`,
    missingArgument: (kind, arg) => `« ${kind} » : il manque « ${arg} ».`,
    noArguments: (kind, arg) => `« ${kind} » n’a pas de champ « ${arg} ».`,
    otherArguments: (kind, arg) => `« ${kind} » n’a pas de champ « ${arg} ».`,
    neverStored: (kind) => `« ${kind} » ne peut pas faire partie d’un programme. Supprimez cette étape.`,
    placeholder: () => 'Choisissez une valeur pour chaque variable.',
    longComment: (kind, max, count) =>
      `Le commentaire de « ${kind} » doit avoir au plus ${max} caractères, pas ${count}.`,
    wrongValue: (arg, kind, values, given) => `« ${kind} » : « ${arg} » doit être ${values}, pas ${given}.`,
    unknownValue: (arg, kind, values, given) =>
      `« ${kind} » : « ${arg} » doit être ${values}, pas ${given}, qui est inconnu.`,
    wrongVariable: (arg, kind, values, variable, held) =>
      `« ${kind} » : « ${arg} » doit être ${values}, mais la variable « ${variable} » contient ${held}.`,
    noParameter: (arg, kind, values, variable) =>
      `« ${kind} » : « ${arg} » doit être ${values}. La variable « ${variable} » ne convient pas ici, car elle est choisie à l’exécution.`,
    unchosenVariable: (arg, kind) => `« ${kind} » : « ${arg} » : aucune variable n’est encore choisie.`,
    undeclaredVariable: (arg, kind, variable) =>
      `« ${kind} » : « ${arg} » est la variable « ${variable} », que le programme n’a pas.`,
    noVariables: (arg, kind, variable) =>
      `« ${kind} » : « ${arg} » est la variable « ${variable} », mais il n’y a pas de variables ici.`,
    tooGreat: (arg, kind, number) => `« ${kind} » : « ${arg} » est trop grand : ${number}.`,
    aboveMax: (arg, kind, max, number) => `« ${kind} » : « ${arg} » doit valoir au plus ${max}, pas ${number}.`,
    wrongLength: (arg, kind, min, max, count) =>
      `« ${kind} » : « ${arg} » doit avoir de ${min} à ${max} caractères, pas ${count}.`,
    longText: (arg, kind, max, count) =>
      `« ${kind} » : « ${arg} » est trop long : au plus ${max} caractères, pas ${count}.`,
    missingRecord: (_arg, kind, id) =>
      `« ${kind} » : le numéro ${id} n’est pas dans ce jardin. Il a peut-être été supprimé.`,
    noRecord: (_arg, kind) => `« ${kind} » n’est pas encore choisi.`,
    analogLight: (kind, light) => `« ${kind} » : ${light} est numérique, et ne prend pas de valeurs analogiques.`,
    pick: (value, kind) => `Choisissez ${value} pour « ${kind} ».`,
    pickProgram: (kind) => `Choisissez un programme pour « ${kind} ».`,
    luaSyntax: (problem) => `Ceci n’est pas du Lua : ${problem}.`,
    unknownFunction: (line, name) => `Ligne ${line} : ni Lua ni un robot n’a de fonction « ${name} ».`,
    wrongArguments: (line, signature) =>
      `Ligne ${line} : sur un robot, ces arguments terminent le script. C’est ${signature}.`,
    ignoredArguments: (line, signature) =>
      `Ligne ${line} : un robot ignore certains de ces arguments. C’est ${signature}.`,
    misreadFormula:
      'Un robot prend une formule avec « = » pour une instruction, et échoue. Commencez-la par « return ».',
    luaStatement:
      'Un robot prend une seule ligne de Lua sans « = » ni « return » pour une formule. Écrivez les instructions sur plusieurs lignes.',
    unreadPin:
      'Aucune étape avant ne lit cette broche. Tant que sa valeur est inconnue, un robot la prend pour plus grande que tout nombre.',
    unknownVariable: (variable) => `Lua utilise la variable « ${variable} », que le programme n’a pas.`,
    unsetVariable: (program, variable) => `« ${program} » a besoin d’une valeur pour sa variable « ${variable} ».`,
  },
  api: {
    unknownStep: (kind, parent, kinds) => `Unknown kind "${kind}". The body of ${parent} can contain ${kinds}.`,
    missingArgument: (kind, arg, required, sent) =>
      `${kind} is missing the argument "${arg}": it requires ${required}, but has ${sent}.`,
    placeholder: (kind) =>
      `${kind} is only allowed as the default of a parameter_declaration: choose a value for every variable.`,
    noParameter: (arg, kind, values, variable) =>
      `"${arg}" of ${kind} must be ${values}, not the variable "${variable}", which is set when the sequence is run.`,
    unchosenVariable: (arg, kind) => `"${arg}" of ${kind} is the variable "", which the sequence does not declare.`,
    undeclaredVariable: (arg, kind, variable) =>
      `"${arg}" of ${kind} is the variable "${variable}", which the sequence does not declare.`,
    missingRecord: (arg, kind, id, noun) =>
      `"${arg}" of ${kind} is ${id}, but this account has no ${noun} with that id.`,
    noRecord: (arg, kind, noun) => `"${arg}" of ${kind} is 0, but this account has no ${noun} with that id.`,
    analogLight: (kind, light) =>
      `${kind} cannot use ${light} with "pin_mode" 1: box lights are digital, so it must be 0.`,
    pickProgram: (kind) => `Please pick a sequence for ${kind}.`,
    unknownVariable: (variable) => `Lua uses the variable "${variable}", which the sequence does not declare.`,
  },
});

/** Words for values that were sent, and for accepted ones. */
export const sayOfValue = messagesIn({
  en: {
    nodes: 'nodes',
    arguments: 'arguments',
    characters: 'characters of text',
    peripheralOrSensor: 'a peripheral or a sensor',
    peripheral: 'a peripheral',
    sensor: 'a sensor',
    location: 'a location',
    value: 'a value',
    defaultValue: 'a default value',
    none: 'none',
    string: 'a string',
    number: 'a number',
    wholeNumber: 'a whole number',
    boolean: 'true or false',
    anyBoolean: 'a boolean',
    list: 'a list',
    node: 'a node',
    pins: 'pin0 to pin69',
    nothing: 'nothing',
    tool: 'tool',
    point: 'point',
    sequence: 'sequence',
    noKind: 'an object whose `kind` is not a string',
    noArgs: 'an object whose `args` is not an object',
    noBody: 'an object whose `body` is not a list',
    noComment: 'an object whose `comment` is not a string',
    givenString: (text: string) => `the string "${text}"`,
    givenNumber: (number: number) => `the number ${number}`,
    true: 'true',
    false: 'false',
    null: 'null',
    undefined: 'undefined',
  },
  fr: {
    nodes: 'éléments',
    arguments: 'champs',
    characters: 'caractères de texte',
    peripheralOrSensor: 'un périphérique ou un capteur',
    peripheral: 'un périphérique',
    sensor: 'un capteur',
    location: 'un endroit',
    value: 'une valeur',
    defaultValue: 'une valeur par défaut',
    none: 'rien',
    string: 'un texte',
    number: 'un nombre',
    wholeNumber: 'un nombre entier',
    boolean: 'oui ou non',
    anyBoolean: 'oui ou non',
    list: 'une liste',
    node: 'un élément',
    pins: 'une broche de 0 à 69',
    nothing: 'rien',
    tool: 'outil',
    point: 'point',
    sequence: 'programme',
    noKind: 'un élément sans genre',
    noArgs: 'un élément sans champs',
    noBody: 'un élément dont le contenu n’est pas une liste',
    noComment: 'un élément dont le commentaire n’est pas un texte',
    givenString: (text) => `le texte « ${text} »`,
    givenNumber: (number) => `le nombre ${number}`,
    true: 'oui',
    false: 'non',
    null: 'rien',
    undefined: 'rien',
  },
});

/** Several of them. */
export const sayOfList = messagesIn({
  en: {
    either: (values: readonly string[]) => joined(values, 'or'),
    all: (values: readonly string[]) => joined(values, 'and'),
  },
  fr: {
    either: (values) => joined(values, 'ou'),
    all: (values) => joined(values, 'et'),
  },
});
