import { catalog } from '../ui/language.ts';

const words = {
  useDefault: ['As in the program', 'Comme dans le programme'],
  place: ['Place', 'Endroit'],
  settingUp: ['Setting up the garden…', 'Préparation du jardin…'],
  noRobot: ['No robot has been connected yet.', 'Aucun robot n’a encore été connecté.'],
  connectRobot: ['Connect a robot', 'Connecter un robot'],
  tryVirtualRobot: ['Try the virtual robot', 'Essayer le robot virtuel'],
  startAgain: ['Start it again', 'Le redémarrer'],
  tool: ['Tool', 'Outil'],
  undo: ['Undo', 'Annuler'],
  delete: ['Delete', 'Supprimer'],
  notInHistory: ['The history has nothing of this to undo.', 'L’historique n’a rien de cela à annuler.'],
  undoNevertheless: ['Put it back nevertheless', 'Rétablir quand même'],
  unreachable: ['The server cannot be reached.', 'Le serveur est injoignable.'],
  notMember: ['You are no longer a member of this garden.', 'Vous n’êtes plus membre de ce jardin.'],
  confirm: ['Confirm with your password', 'Confirmez avec votre mot de passe'],
  password: ['Your password', 'Votre mot de passe'],
  continue: ['Continue', 'Continuer'],
} as const;

const en = {
  commandRuns: (name: string) => `${name}…`,
  commandEnded: {
    ok: (name: string, _explanation: string) => `${name}: done.`,
    error: (name: string, explanation: string) => `${name}: the robot reported: ${explanation}`,
    timeout: (name: string, _explanation: string) => `${name}: no answer yet. The robot may still be running it.`,
    offline: (name: string, _explanation: string) => `${name}: no robot is connected, so nothing was sent.`,
  },
  groupOf: (count: number) => `Group of ${count}`,
  atEach: (count: number) =>
    count === 1 ? 'It runs at the one member of the group.' : `It runs ${count} times: at each member of the group.`,
  missing: 'Fill in all fields: the program has no value of its own for them.',
  virtualRobotEnded: 'The virtual robot has ended: nothing is watered.',
  deleted: (name: string) => `“${name}” was deleted.`,
  deletedMany: (noun: string, count: number) => `${noun}: ${count} were deleted.`,
  entries: (count: number) => `${count} ${count === 1 ? 'entry' : 'entries'}`,
  onDay: (date: string) => date,
  atTime: (day: string, clock: string) => `${day} at ${clock}`,
  atLeast: (count: string) => `at least ${count}`,
  nextRun: (run: string) => `Next: ${run}`,
  laterRun: (run: string) => `Then: ${run}`,
  undone: (sentence: string) => `Undone: ${sentence}`,
  nothingToUndo: 'Nothing that was changed in this tab can be undone.',
  notPotager: 'The response is not from Potager, but from a proxy, for example. Try again later.',
  reopened: 'An owner changed what you may do in this garden. What you typed is still here.',
  removed: 'You are no longer a member of that garden. This is your own garden again.',
  confirmHint: 'This change needs your password, which was not entered in this session within the last hour.',
};

const fr: typeof en = {
  commandRuns: (name) => `${name}…`,
  commandEnded: {
    ok: (name) => `${name} : terminé.`,
    error: (name, explanation) => `${name} : le robot signale : ${explanation}`,
    timeout: (name) => `${name} : pas encore de réponse. Le robot l’exécute peut-être encore.`,
    offline: (name) => `${name} : aucun robot n’est connecté, rien n’a été envoyé.`,
  },
  groupOf: (count) => `Groupe de ${count}`,
  atEach: (count) =>
    count === 1 ? 'Exécuté une fois : au seul membre du groupe.' : `Exécuté ${count} fois : à chaque membre du groupe.`,
  missing: 'Remplissez tous les champs : le programme n’a pas de valeur pour eux.',
  virtualRobotEnded: 'Le robot virtuel s’est arrêté : rien n’est arrosé.',
  deleted: (name) => `« ${name} » a été supprimé.`,
  deletedMany: (noun, count) => `${noun} : ${count} suppressions.`,
  entries: (count) => `${count} ${count < 2 ? 'entrée' : 'entrées'}`,
  onDay: (date) => `le ${date}`,
  atTime: (day, clock) => `${day} à ${clock}`,
  atLeast: (count) => `au moins ${count}`,
  nextRun: (run) => `Prochaine fois : ${run}`,
  laterRun: (run) => `Puis : ${run}`,
  undone: (sentence) => `Annulé : ${sentence}`,
  nothingToUndo: 'Rien de ce qui a été modifié dans cet onglet ne peut être annulé.',
  notPotager: 'La réponse ne vient pas de Potager, mais d’un proxy par exemple. Réessayez plus tard.',
  reopened: 'Un propriétaire a changé vos droits dans ce jardin. Ce que vous avez saisi est toujours là.',
  removed: 'Vous n’êtes plus membre de ce jardin-là. Vous voici de nouveau dans votre propre jardin.',
  confirmHint: 'Ce changement demande votre mot de passe, qui n’a pas été saisi dans cette session depuis une heure.',
};

export const dataText = catalog({ en, fr, words });
