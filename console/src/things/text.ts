import { catalog } from '../ui/language.ts';

const words = {
  title: ['Garden things', 'Éléments du jardin'],
  add: ['Add', 'Ajouter'],
  find: ['Find', 'Rechercher'],
  details: ['Details', 'Détails'],
  nothing: ['Nothing here yet', 'Rien ici pour le moment'],
  unknown: ['This no longer exists.', 'Cet élément n’existe plus.'],
  refresh: ['Read its description again', 'Relire sa description'],
  places: {
    title: ['In the bed', 'Dans le jardin'],
    add: {
      Plant: ['Add a plant', 'Ajouter une plante'],
      Weed: ['Add a weed', 'Ajouter une mauvaise herbe'],
      GenericPointer: ['Add a point', 'Ajouter un point'],
      ToolSlot: ['Add a tool slot', 'Ajouter un emplacement d’outil'],
    },
    kinds: {
      Plant: ['Plants', 'Plantes'],
      Weed: ['Weeds', 'Mauvaises herbes'],
      GenericPointer: ['Points', 'Points'],
      ToolSlot: ['Tool slots', 'Emplacements d’outils'],
    },
    name: ['Name', 'Nom'],
    crop: ['Crop', 'Culture'],
    tool: ['Tool', 'Outil'],
    place: ['X, Y, Z (mm)', 'X, Y, Z (mm)'],
    age: ['Age', 'Âge'],
    notPlanted: ['Not planted yet', 'Pas encore planté'],
  },
  group: {
    members: ['Members', 'Membres'],
    criteria: ['Criteria', 'Critères'],
    kind: ['Kind', 'Genre'],
    anyKind: ['None', 'Aucun'],
    crop: ['Crop', 'Culture'],
    stage: ['Stage', 'Stade'],
    olderThan: ['Older than (days)', 'Plus vieux que (jours)'],
    youngerThan: ['Younger than (days)', 'Plus jeune que (jours)'],
    showOnMap: ['Show on the map', 'Montrer sur le plan'],
    preview: ['Preview of the group', 'Aperçu du groupe'],
  },
  curve: {
    day: ['Day', 'Jour'],
    addDay: ['Add a day', 'Ajouter un jour'],
  },
  garden: {
    snapshot: ['Save the garden as it is', 'Enregistrer le jardin tel quel'],
    preview: ['Preview', 'Aperçu'],
    apply: ['Apply to the garden', 'Appliquer au jardin'],
  },
} as const;

const en = {
  saved: (name: string) => `“${name}” was saved.`,
  created: (name: string) => `“${name}” was added.`,
  deleted: (name: string) => `“${name}” was deleted.`,
  kinds: {
    tools: 'What the robot can pick up: a watering nozzle, a seeder, a soil sensor.',
    peripherals: 'What the robot switches: a pump, a valve, lights. Each is on a pin.',
    sensors: 'What the robot reads on a pin, such as soil moisture.',
    pin_bindings: 'What a button on the robot does when it is pressed.',
    point_groups: 'Plants, weeds or points that programs treat together.',
    curves: 'How much water a plant needs, or how large it is, by its age in days.',
    saved_gardens: 'Plans of the bed to try, keep and apply.',
    webcam_feeds: 'Cameras that look at the garden.',
    farmware_installations: 'Programs of others that the robot runs.',
    farmware_envs: 'Values that farmware reads, such as the calibration of the camera.',
  },
  webcamFails:
    'This camera cannot be reached from here. Is it switched on, and is its address that of a picture or a stream of pictures?',
  places: {
    about: 'Plants, weeds, points and tool slots are added on the map.',
    days: (count: number) => `${count} ${count === 1 ? 'day' : 'days'}`,
  },
  group: {
    chosen: (count: number) => `${count} chosen one by one`,
    matching: (count: number) => `${count} ${count === 1 ? 'matches' : 'match'} the criteria`,
    criteriaHint: 'Points that match all of these belong to the group, too.',
    others: (criteria: string) => `And: ${criteria}. Other programs set this.`,
    from: (axis: string) => `${axis} from (mm)`,
    to: (axis: string) => `${axis} to (mm)`,
  },
  curve: {
    drawing: 'Curve: drag a point, move it with the arrow keys, or use its fields',
    dayNumber: (day: number) => `Day ${day}`,
    value: (unit: string) => `Value (${unit})`,
    removeDay: (day: number) => `Remove day ${day}`,
    noDay: (key: string, value: number) =>
      `“${key}” is not the number of a day, so its value ${value} is not part of the curve.`,
    removeKey: (key: string) => `Remove “${key}”`,
  },
  garden: {
    snapshotDone: (name: string) => `The garden was saved as “${name}”.`,
    plants: (count: number) => (count === 1 ? '1 plant' : `${count} plants`),
    applyQuestion: 'All plants on the map are replaced with those of this plan. The history can bring them back.',
    applied: (name: string) => `The plants on the map were replaced with those of “${name}”.`,
  },
};

const fr: typeof en = {
  saved: (name) => `« ${name} » a été enregistré.`,
  created: (name) => `« ${name} » a été ajouté.`,
  deleted: (name) => `« ${name} » a été supprimé.`,
  kinds: {
    tools: 'Ce que le robot peut prendre : une buse d’arrosage, un semoir, un capteur de sol.',
    peripherals: 'Ce que le robot commande : une pompe, une vanne, un éclairage. Chacun est sur une broche.',
    sensors: 'Ce que le robot lit sur une broche, comme l’humidité du sol.',
    pin_bindings: 'Ce que fait un bouton du robot quand on appuie dessus.',
    point_groups: 'Plantes, mauvaises herbes ou points que les programmes traitent ensemble.',
    curves: 'La quantité d’eau ou la taille d’une plante selon son âge en jours.',
    saved_gardens: 'Des plans de la planche à essayer, garder et appliquer.',
    webcam_feeds: 'Les caméras qui regardent le jardin.',
    farmware_installations: 'Des programmes d’autres personnes que le robot exécute.',
    farmware_envs: 'Des valeurs que les farmwares lisent, comme l’étalonnage de la caméra.',
  },
  webcamFails:
    'Cette caméra est injoignable d’ici. Est-elle allumée, et son adresse est-elle celle d’une image ou d’un flux d’images ?',
  places: {
    about: 'Les plantes, les mauvaises herbes, les points et les emplacements d’outils s’ajoutent sur le plan.',
    days: (count) => `${count} ${count < 2 ? 'jour' : 'jours'}`,
  },
  group: {
    chosen: (count) => `${count} ${count < 2 ? 'choisi' : 'choisis'} un à un`,
    matching: (count) => `${count} selon les critères`,
    criteriaHint: 'Les points qui remplissent tous ces critères font aussi partie du groupe.',
    others: (criteria) => `Et : ${criteria}. D’autres programmes l’ont réglé.`,
    from: (axis) => `${axis} à partir de (mm)`,
    to: (axis) => `${axis} jusqu’à (mm)`,
  },
  curve: {
    drawing: 'Courbe : glissez un point, déplacez-le avec les flèches, ou utilisez ses champs',
    dayNumber: (day) => `Jour ${day}`,
    value: (unit) => `Valeur (${unit})`,
    removeDay: (day) => `Retirer le jour ${day}`,
    noDay: (key, value) =>
      `« ${key} » n’est pas le numéro d’un jour : sa valeur ${value} ne fait pas partie de la courbe.`,
    removeKey: (key) => `Retirer « ${key} »`,
  },
  garden: {
    snapshotDone: (name) => `Le jardin a été enregistré sous « ${name} ».`,
    plants: (count) => (count < 2 ? `${count} plante` : `${count} plantes`),
    applyQuestion:
      'Toutes les plantes du jardin sont remplacées par celles de ce plan. L’historique peut les rétablir.',
    applied: (name) => `Les plantes du jardin ont été remplacées par celles de « ${name} ».`,
  },
};

export const thingsText = catalog({ en, fr, words });
