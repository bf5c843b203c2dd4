import { catalog } from '../ui/language.ts';

const en = {
  commandRuns: (name: string) => `${name}…`,
  commandEnded: {
    ok: (name: string, _explanation: string) => `${name}: done.`,
    error: (name: string, explanation: string) => `${name}: the robot reported: ${explanation}`,
    timeout: (name: string, _explanation: string) => `${name}: no answer yet. The robot may still be at it.`,
    offline: (name: string, _explanation: string) => `${name}: no robot is connected, so nothing was sent.`,
  },
  useDefault: 'As in the program',
  place: 'Place',
  missing: 'Fill in all fields: the program has no value of its own for them.',
  noRobot: 'No robot has been connected yet.',
  connectRobot: 'Connect a robot',
  tryVirtualRobot: 'Try the virtual robot',
  undo: 'Undo',
  undone: (sentence: string) => `Undone: ${sentence}`,
  nothingToUndo: 'Nothing that was changed in this tab can be undone.',
  undoNevertheless: 'Put it back nevertheless',
  unreachable: 'The server cannot be reached.',
  reopened: 'An owner changed what you may do in this garden. What you typed is still here.',
  notMember: 'You are no longer a member of this garden.',
  removed: 'You are no longer a member of that garden. This is your own garden again.',
  confirm: 'Confirm with your password',
  confirmHint: 'This change needs your password, which was not entered in this session within the last hour.',
  password: 'Your password',
  continue: 'Continue',
};

const fr: typeof en = {
  commandRuns: (name) => `${name}…`,
  commandEnded: {
    ok: (name) => `${name} : terminé.`,
    error: (name, explanation) => `${name} : le robot signale : ${explanation}`,
    timeout: (name) => `${name} : pas encore de réponse. Le robot y travaille peut-être encore.`,
    offline: (name) => `${name} : aucun robot n’est connecté, rien n’a été envoyé.`,
  },
  useDefault: 'Comme dans le programme',
  place: 'Endroit',
  missing: 'Remplissez tous les champs : le programme n’a pas de valeur pour eux.',
  noRobot: 'Aucun robot n’a encore été connecté.',
  connectRobot: 'Connecter un robot',
  tryVirtualRobot: 'Essayer le robot virtuel',
  undo: 'Annuler',
  undone: (sentence) => `Annulé : ${sentence}`,
  nothingToUndo: 'Rien de ce qui a été modifié dans cet onglet ne peut être annulé.',
  undoNevertheless: 'Rétablir quand même',
  unreachable: 'Le serveur est injoignable.',
  reopened: 'Un propriétaire a changé vos droits dans ce jardin. Ce que vous avez saisi est toujours là.',
  notMember: 'Vous n’êtes plus membre de ce jardin.',
  removed: 'Vous n’êtes plus membre de ce jardin-là. Vous voici de nouveau dans votre propre jardin.',
  confirm: 'Confirmez avec votre mot de passe',
  confirmHint: 'Ce changement demande votre mot de passe, qui n’a pas été saisi dans cette session depuis une heure.',
  password: 'Votre mot de passe',
  continue: 'Continuer',
};

export const dataText = catalog({ en, fr });
