import { countsIn, type en } from './text-en.ts';

export const fr: typeof en = {
  viewport: 'Plan : les flèches le déplacent, plus et moins zooment, 0 montre tout',
  bed: (width, height) => `Planche de jardin, ${width} sur ${height} mm`,
  robotAt: (x, y) => `Robot à ${x}, ${y}`,
  robotLastAt: (x, y) => `Robot, vu pour la dernière fois à ${x}, ${y}`,
  pointLabel: (name, kind, x, y) => `${name}, ${kind} à ${x}, ${y}`,
  kinds: { Plant: 'plante', Weed: 'mauvaise herbe', GenericPointer: 'point', ToolSlot: 'emplacement d’outil' },
  arrowKeys: 'Avec ← → ↓ : déplacer le plan, ou aller de point en point',
  enterKey: 'Sélectionner le point ; avec Maj, en plus des autres',
  notCalibrated:
    'La caméra n’est pas étalonnée : les photos au bord en tirets marquent où elles ont été prises, sans taille ni orientation.',
  otherHeight:
    'Les photos au bord en tirets ont été prises à une autre hauteur que l’étalonnage de la caméra : elles marquent l’endroit, sans taille ni orientation.',
  selected: (count) => `${count} sélectionnés`,
  countsOf: (kinds) =>
    countsIn(
      kinds,
      {
        Plant: 'Plantes',
        Weed: 'Mauvaises herbes',
        GenericPointer: 'Points',
        ToolSlot: 'Emplacements d’outil',
      },
      ' : ',
    ),
  spacing: (plants, rows) => `Tous les ${plants} mm, rangs espacés de ${rows} mm`,
  tapToAdd: {
    plant: 'Choisissez un endroit de la planche pour y planter, ou saisissez-le.',
    weed: 'Choisissez où pousse la mauvaise herbe sur la planche, ou saisissez l’endroit.',
    point: 'Choisissez l’endroit du point sur la planche, ou saisissez-le.',
    slot: 'Choisissez l’endroit de l’emplacement sur la planche, ou saisissez-le. Sélectionnez-le ensuite, et choisissez son outil.',
  },
  tapToStart: {
    plant: 'Choisissez l’endroit de la première plante sur la planche.',
    weed: 'Choisissez l’endroit de la première mauvaise herbe sur la planche.',
    point: 'Choisissez l’endroit du premier point sur la planche.',
    slot: 'Choisissez l’endroit du premier emplacement sur la planche. Sélectionnez ensuite chacun, et choisissez son outil.',
  },
  taken: (count, total, name) =>
    total === 1
      ? `${name} se trouve à cet endroit. Pour en ajouter, choisissez un autre endroit.`
      : count === total
        ? `${name} est déjà à tous ces ${total} endroits, qui restent tels quels.`
        : `${name} est déjà à ${count} de ces ${total} endroits, qui restent tels quels.`,
  moreOf: (name) => `La vie de ${name}`,
  plantedSince: (days) =>
    days < 0
      ? `À planter dans ${-days === 1 ? 'un jour' : `${-days} jours`}`
      : days === 0
        ? 'Planté aujourd’hui'
        : `Planté ${days === 1 ? 'hier' : `il y a ${days} jours`}`,
  moistureNear: (value, time) => `Humidité du sol à côté : ${value} (${time})`,
  size: (now, grown) =>
    grown === null || grown === now ? `${now} mm de large` : `${now} mm de large, ${grown} mm une fois adulte`,
  tooClose: (counts, total) =>
    total === 1
      ? `Cet endroit est trop près de : ${counts[0]?.name}.`
      : `Trop près, et laissés : ${counts.map(({ name, count }) => `${count} de ${name}`).join(', ')}.`,
  closeOnPurpose: (counts, total) =>
    total === 1
      ? `Cet endroit est près de : ${counts[0]?.name}.`
      : `Près : ${counts.map(({ name, count }) => `${count} de ${name}`).join(', ')}.`,
  addCount: (count) => (count === 1 ? 'Ajouter' : `Ajouter ${count}`),
  added: (count, name) => (count === 1 ? `Ajout : ${name}.` : `Ajout : ${count} × ${name}.`),
  moved: (count, name) => (count === 1 ? `Déplacement : ${name}.` : `Déplacement de ${count} éléments.`),
  saved: (count, name) => (count === 1 ? `Modification : ${name}.` : `Modification de ${count} éléments.`),
  deleted: (count, name) => (count === 1 ? `Suppression : ${name}.` : `Suppression de ${count} éléments.`),
  place: (x, y) => `Endroit ${x}, ${y}`,
  notFound: 'Ce que cette adresse désigne n’est plus sur la planche.',
  movedBy: (across, down) => `Déplacé de ${across}, ${down} mm.`,
  movingKeys: 'Les flèches déplacent, avec Maj plus loin ; Entrée enregistre, Échap annule.',
  moveHereAlong: (axes) => `Amener le robot ici (${axes})`,
  arrived: (x, y) => `Le robot est à ${x}, ${y}.`,
  makeGroupOf: (count) => `Créer un groupe de ${count}`,
  groupMade: (name) => `Le groupe ${name} a été créé.`,
  waterBySequence: (count, name) =>
    count === 1
      ? `Le robot exécute le programme « ${name} » pour cette plante.`
      : `Le robot exécute le programme « ${name} » pour ${count} plantes, l’une après l’autre.`,
  waterByPeripheral: (count, name) =>
    count === 1
      ? `Le robot va à cette plante et ouvre « ${name} ».`
      : `Le robot va à ${count} plantes, l’une après l’autre, et ouvre « ${name} » à chacune.`,
  byProgram: (name) => `Le programme « ${name} »`,
  byPeripheral: (name) => `« ${name} », selon les courbes d’arrosage des plantes`,
  dosesOf: (count, name) => (count === 1 ? `${name} :` : `${count} × ${name} :`),
  dose: (water) => `environ ${water}`,
  doseByCurve: (water, age) => `${water}, selon sa courbe d’arrosage au jour ${age}`,
  openFor: (seconds) => `${seconds} secondes`,
  waterInAll: (water) => `${water} en tout.`,
  noWater:
    'Ce jardin n’a ni programme qui arrose un endroit ni périphérique pour l’eau, comme une vanne ou une pompe. Créez-en un dont le nom contient « eau » ou « arrosage ».',
};
