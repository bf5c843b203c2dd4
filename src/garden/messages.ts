import { messagesIn } from '../core/message.ts';

const others = (count: number): string => (count === 1 ? '1 autre' : `${count} autres`);

/** Messages of gardens. */
export const say = messagesIn({
  pairs: {
    pointObject: ['A point is an object.', 'Un point doit être un objet.'],
    pointId: ['One of these points was deleted meanwhile.', 'Un de ces points a été supprimé entre-temps.'],
    noTool: ['Choose a tool.', 'Choisissez un outil.'],
    operator: ['Op must be one of <, >.', 'L’opérateur doit être < ou >.'],
    toolInSlot: ['This tool is in a slot: take it out first.', 'Cet outil est à un emplacement : retirez-le d’abord.'],
    sameReading: [
      'The readings in dry and in wet soil must differ.',
      'Les mesures en sol sec et en sol mouillé doivent être différentes.',
    ],
    oneAction: ['Choose either a program or an action.', 'Choisissez un programme ou une action, pas les deux.'],
  },
  en: {
    // Points
    pointArray: (count: number) => `Points must be an array of 1 to ${count} points.`,
    tooFar: (name: string, limit: number) => `'${name}' is too far away: coordinates must be less than ${limit}.`,
    coordinate: (field: string, limit: number) => `${field} is too big (it must be less than ${limit}).`,
    plantsInGarden: 'There are plants in the garden. Please remove them first.',
    // Groups and curves
    groupPoints: 'The points of a group must be your own, each of them once.',
    criteriaSize: (field: string, names: number, values: number, characters: number) =>
      `${field} is too large (at most ${names} names, ${values} values and ${characters} characters).`,
    manyEntries: (field: string) => `${field} has too many entries.`,
    // Uses
    inUse: (uses: string) => `Still in use by ${uses}.`,
    curveInUse: (names: readonly string[], more: number) =>
      `This curve is still in use by ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
    holdsSequences: (count: number) => `This folder still holds ${count} program${count === 1 ? '' : 's'}.`,
    holdsFolders: (count: number) => `This folder still holds ${count} folder${count === 1 ? '' : 's'}.`,
    pointsInUse: (uses: string, points: readonly string[]) => `Still in use by ${uses}: ${points.join('; ')}.`,
    more: (count: number) => `${count} more`,
    groupInUse: (uses: string) => `This group is still in use by ${uses}.`,
    toolInUse: (uses: string) => `The tool must stay in its slot: it is still in use by ${uses}.`,
    // Pins
    reservedPin: (field: string) => `${field} is a pin that the robot uses itself.`,
    // Farmware
    textOrObject: (field: string) => `${field} must be text or an object.`,
    manifestsWaiting: (count: number) => `${count} manifests are waiting to be fetched. Try again in a few minutes.`,
  },
  fr: {
    pointArray: (count) => `Il faut une liste de 1 à ${count} points.`,
    tooFar: (name, limit) => `« ${name} » est trop loin : les coordonnées doivent être inférieures à ${limit}.`,
    coordinate: (field, limit) => `« ${field} » doit être inférieur à ${limit}.`,
    plantsInGarden: 'Il y a des plantes dans le jardin. Retirez-les d’abord.',
    groupPoints: 'Les points d’un groupe doivent être les vôtres, chacun une seule fois.',
    criteriaSize: (field, names, values, characters) =>
      `« ${field} » doit avoir au plus ${names} noms, ${values} valeurs et ${characters} caractères.`,
    manyEntries: (field) => `« ${field} » a trop d’entrées.`,
    inUse: (uses) => `Sert encore à : ${uses}.`,
    curveInUse: (names, more) =>
      `Cette courbe sert encore à : ${names.join(', ')}${more > 0 ? ` et ${others(more)}` : ''}.`,
    holdsSequences: (count) => `Ce dossier contient encore ${count} programme${count === 1 ? '' : 's'}.`,
    holdsFolders: (count) => `Ce dossier contient encore ${count} dossier${count === 1 ? '' : 's'}.`,
    pointsInUse: (uses, points) => `Sert encore à : ${uses} (${points.join(' ; ')}).`,
    more: others,
    groupInUse: (uses) => `Ce groupe sert encore à : ${uses}.`,
    toolInUse: (uses) => `L’outil doit rester à son emplacement. Il sert encore à : ${uses}.`,
    reservedPin: (field) => `« ${field} » : le robot utilise lui-même cette broche.`,
    textOrObject: (field) => `« ${field} » doit être un texte ou un objet.`,
    manifestsWaiting: (count) => `${count} descriptions attendent d’être lues. Réessayez dans quelques minutes.`,
  },
  api: {
    pointId: 'This must be the id of a point, each once.',
    noTool: 'Tool ID must not be blank.',
    holdsSequences: (count) => `This folder still holds ${count} sequence${count === 1 ? '' : 's'}.`,
    oneAction: 'Choose either a sequence or a special action.',
  },
});

/** Points at a place, by their kinds. */
export const sayOfPoint = messagesIn({
  en: {
    GenericPointer: (place: string) => `point at ${place}`,
    Plant: (place: string) => `plant at ${place}`,
    ToolSlot: (place: string) => `slot at ${place}`,
    Weed: (place: string) => `weed at ${place}`,
  },
  fr: {
    GenericPointer: (place) => `point en ${place}`,
    Plant: (place) => `plante en ${place}`,
    ToolSlot: (place) => `emplacement en ${place}`,
    Weed: (place) => `mauvaise herbe en ${place}`,
  },
});
