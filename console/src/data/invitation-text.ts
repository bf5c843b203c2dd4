import { catalog } from '../ui/language.ts';

const en = {
  send: 'Invite',
  sent: (email: string) => `${email} was invited by mail.`,
  link: 'Invitation link',
  linkHint: 'This server sends no mail. Hand this link over to the person yourself.',
  open: 'Open invitations',
  none: 'There is no open invitation.',
  validUntil: (time: string) => `Valid until ${time}`,
  withdraw: 'Withdraw',
  withdrawOf: (email: string) => `Withdraw the invitation of ${email}`,
  withdrawn: 'The invitation was withdrawn.',
};

const fr: typeof en = {
  send: 'Inviter',
  sent: (email) => `${email} a été invité par e-mail.`,
  link: 'Lien d’invitation',
  linkHint: 'Ce serveur n’envoie pas d’e-mail. Remettez vous-même ce lien à la personne.',
  open: 'Invitations ouvertes',
  none: 'Il n’y a pas d’invitation ouverte.',
  validUntil: (time) => `Valable jusqu’au ${time}`,
  withdraw: 'Retirer',
  withdrawOf: (email) => `Retirer l’invitation de ${email}`,
  withdrawn: 'L’invitation a été retirée.',
};

export const invitationText = catalog({ en, fr });
