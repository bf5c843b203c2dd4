import type { Words } from './garden-sentences.ts';

/**
 * Messages of the program check. `{arg}` and `{kind}` are names of arguments and nodes, `{values}` what an argument accepts, and
 * `{given}` what it has.
 */
export const programSentences: Readonly<Record<string, Words>> = {
  'Step {}: {}': 'Étape {} : {}',
  'Entry {}: {}': 'Entrée {} : {}',
  'Variables: {}': 'Variables : {}',
  'Unknown kind "{}". The body of {kind} can contain {values}.': {
    en: 'There is no kind of step “{}”.',
    fr: 'Il n’y a pas d’étape « {} ».',
  },
  'Unknown kind "{}".': 'Élément inconnu : « {} ».',
  '{kind} is not allowed in the body of {kind}.': '« {} » n’a pas sa place dans « {} ».',
  'The body of {kind} must be empty.': '« {} » doit rester vide.',
  'The body of {kind} can contain {values}.': '« {} » peut contenir : {}.',
  'The body of {kind} must hold nodes (objects with `kind` and `args`), not {given}.':
    '« {} » ne peut contenir que des éléments de programme, pas {}.',
  '{kind} is missing the argument "{arg}": it requires {}, but has {}.': {
    en: '{}: “{}” is missing.',
    fr: '« {} » : il manque « {} ».',
  },
  '{kind} has no argument "{}": it takes no arguments.': '« {} » n’a pas de champ « {} ».',
  '{kind} has no argument "{}": it only takes {}.': '« {} » n’a pas de champ « {} ».',
  '"{arg}" of {kind} is too large: {}.': '« {1} » : « {0} » est trop grand : {2}.',
  '"{arg}" of {kind} must be {values}, not {given}.': '« {1} » : « {0} » doit être {2}, pas {3}.',
  '"{arg}" of {kind} must be {values}, not {given}, which is unknown.':
    '« {1} » : « {0} » doit être {2}, pas {3}, qui est inconnu.',
  '"{arg}" of {kind} must be {values}, but the variable "{}" holds {given}.':
    '« {1} » : « {0} » doit être {2}, mais la variable « {3} » contient {4}.',
  '"{arg}" of {kind} must be {values}, not the variable "{}", which is set when the sequence is run.': {
    en: '"{}" of {} must be {}. The variable "{}" does not fit here, because it is set when the program is run.',
    fr: '« {1} » : « {0} » doit être {2}. La variable « {3} » ne convient pas ici, car elle est choisie à l’exécution.',
  },
  '"{arg}" of {kind} is the variable "", which the sequence does not declare.': {
    en: '“{0}” of {1}: no variable is chosen yet.',
    fr: '« {1} » : « {0} » : aucune variable n’est encore choisie.',
  },
  '"{arg}" of {kind} is the variable "{}", which the sequence does not declare.': {
    en: '“{0}” of {1} is the variable “{2}”, which the program does not have.',
    fr: '« {1} » : « {0} » est la variable « {2} », que le programme n’a pas.',
  },
  '"{arg}" of {kind} is the variable "{}", but there are no variables here.':
    '« {1} » : « {0} » est la variable « {2} », mais il n’y a pas de variables ici.',
  '"{arg}" of {kind} must have {} to {} characters, not {}.':
    '« {1} » : « {0} » doit avoir de {2} à {3} caractères, pas {4}.',
  '"{arg}" of {kind} must be at most {}, not {}.': '« {1} » : « {0} » doit valoir au plus {2}, pas {3}.',
  '"{arg}" of {kind} is too long: as JSON it must have at most {} characters, not {}.':
    '« {1} » : « {0} » est trop long : au plus {2} caractères, pas {3}.',
  '"{arg}" of {kind} is {}, but this account has no {given} with that id.': {
    en: '“{1}”: number {2} is not in this garden. It may have been deleted.',
    fr: '« {1} » : le numéro {2} n’est pas dans ce jardin. Il a peut-être été supprimé.',
  },
  '"{arg}" of {kind} is 0, but this account has no {given} with that id.': {
    en: '“{1}” is not chosen yet.',
    fr: '« {1} » n’est pas encore choisi.',
  },
  'Please pick {given} for {kind}.': 'Choisissez {} pour « {} ».',
  'Please pick a sequence for {kind}.': {
    en: 'Choose a program for “{}”.',
    fr: 'Choisissez un programme pour « {} ».',
  },
  '{kind} cannot use {} with "pin_mode" 1: box lights are digital, so it must be 0.': {
    en: '{}: {} is digital, and takes no analog values.',
    fr: '« {} » : {} est numérique, et ne prend pas de valeurs analogiques.',
  },
  '{kind} is only allowed as the default of a parameter_declaration: choose a value for every variable.': {
    en: 'Choose a value for every variable.',
    fr: 'Choisissez une valeur pour chaque variable.',
  },
  '{kind} cannot be part of a program. Please delete this step.':
    '« {} » ne peut pas faire partie d’un programme. Supprimez cette étape.',
  'The comment of {kind} must have at most {} characters, not {}.':
    'Le commentaire de « {} » doit avoir au plus {} caractères, pas {}.',
  'This is not Lua: {}.': 'Ceci n’est pas du Lua : {}.',
  'Lua uses the variable "{}", which the sequence does not declare.': {
    en: 'Lua uses the variable “{}”, which the program does not have.',
    fr: 'Lua utilise la variable « {} », que le programme n’a pas.',
  },
  '"{}" needs a value for its variable "{}".': '« {} » a besoin d’une valeur pour sa variable « {} ».',
  'Nodes are nested more than {} levels deep.': 'Les éléments sont imbriqués sur plus de {} niveaux.',
  'A program has at most {} {given}.': 'Un programme a au plus {} {}.',
  'The "args" of a sequence must be an object.': 'Les variables du programme ne sont pas lisibles.',
  'The "body" of a sequence must be a list of steps.': 'Un programme doit être une liste d’étapes.',
};

/** Words of the sentences' values in French. */
export const valuesInFrench: Readonly<Record<string, string>> = {
  nothing: 'rien',
  null: 'rien',
  undefined: 'rien',
  true: 'oui',
  false: 'non',
  'true or false': 'oui ou non',
  'a number': 'un nombre',
  'a whole number': 'un nombre entier',
  'a string': 'un texte',
  'a boolean': 'oui ou non',
  'a list': 'une liste',
  'a node': 'un élément',
  'an object whose `kind` is not a string': 'un élément sans genre',
  'an object whose `args` is not an object': 'un élément sans champs',
  'an object whose `body` is not a list': 'un élément dont le contenu n’est pas une liste',
  'an object whose `comment` is not a string': 'un élément dont le commentaire n’est pas un texte',
  'a sequence': 'un programme',
  'a peripheral or a sensor': 'un périphérique ou un capteur',
  'a peripheral': 'un périphérique',
  'a sensor': 'un capteur',
  'a value': 'une valeur',
  'a location': 'un endroit',
  'a default value': 'une valeur par défaut',
  steps: 'étapes',
  nodes: 'éléments',
  sequence: 'programme',
  tool: 'outil',
  point: 'point',
  'point group': 'groupe',
  peripheral: 'périphérique',
  sensor: 'capteur',
};
