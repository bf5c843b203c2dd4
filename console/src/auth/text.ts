import { catalog } from '../ui/language.ts';

const words = {
  newPassword: ['New password', 'Nouveau mot de passe'],
  code: ['Administrator code', 'Code d’administration'],
  agree: ['I agree to the', 'J’accepte les'],
  terms: ['terms of service', 'conditions d’utilisation'],
  and: ['and the', 'et la'],
  privacy: ['privacy policy', 'politique de confidentialité'],
  home: ['To the start', 'Vers l’accueil'],

  signIn: ['Sign in', 'Se connecter'],
  shared: ['This is a shared computer', 'Cet ordinateur est partagé'],
  forgot: ['Forgot password?', 'Mot de passe oublié ?'],
  newHere: ['New here?', 'Nouveau ici ?'],
  createAccount: ['Create account', 'Créer un compte'],
  tryDemo: ['Try a demo garden', 'Essayer un jardin de démonstration'],
  resend: ['Resend message', 'Renvoyer le message'],
  newTerms: ['The terms of service have changed', 'Les conditions d’utilisation ont changé'],
  noTerms: ['This server has no terms of service.', 'Ce serveur n’a pas de conditions d’utilisation.'],
  agreeAndContinue: ['Agree and continue', 'Accepter et continuer'],

  signUp: ['Create an account', 'Créer un compte'],
  haveAccount: ['Already have an account?', 'Vous avez déjà un compte ?'],
  checkMail: ['Check your e-mail', 'Consultez vos e-mails'],
  openLink: ['Open the link in the message', 'Ouvrez le lien du message'],

  resetPassword: ['Reset password', 'Réinitialiser le mot de passe'],
  sendLink: ['Send link', 'Envoyer le lien'],
  backToSignIn: ['Back to sign-in', 'Retour à la connexion'],
  chooseNew: ['Choose a new password', 'Choisir un nouveau mot de passe'],
  setPassword: ['Set password', 'Enregistrer le mot de passe'],
  keepAddress: ['Keep your e-mail address', 'Garder votre adresse e-mail'],
  keepMine: ['Keep my address', 'Garder mon adresse'],
  linkExpired: ['Link expired? Send another', 'Lien expiré ? En recevoir un autre'],
  sendAnother: ['Send another link', 'Envoyer un autre lien'],
  askForLink: ['Ask for a link', 'Demander un lien'],

  confirmed: ['Your address is confirmed', 'Votre adresse est confirmée'],
  confirmedChange: ['Your new address is confirmed', 'Votre nouvelle adresse est confirmée'],
  confirmedChangeText: ['Sign in with it from now on.', 'Utilisez-la désormais pour vous connecter.'],
  deadLink: ['This link did not work', 'Ce lien n’a pas fonctionné'],
  deadLinkText: ['It may be incomplete, expired or withdrawn.', 'Il est peut-être incomplet, expiré ou annulé.'],
  alreadyDone: ['Already done', 'Déjà fait'],
  changeAddress: ['Change address', 'Changer l’adresse'],

  invitation: ['Invitation', 'Invitation'],
  roles: { owner: ['owner', 'propriétaire'], gardener: ['gardener', 'jardinier'], viewer: ['viewer', 'lecteur'] },
  accept: ['Accept invitation', 'Accepter l’invitation'],
  decline: ['Decline invitation', 'Refuser l’invitation'],
  declineTitle: ['Decline this invitation?', 'Refuser cette invitation ?'],
  declined: ['You declined the invitation.', 'Vous avez refusé l’invitation.'],
  useOther: ['Use another account', 'Utiliser un autre compte'],
  haveOne: ['I have an account: sign in', 'J’ai un compte : me connecter'],

  signingOut: ['Signing out…', 'Déconnexion…'],
  demo: ['Demo garden', 'Jardin de démonstration'],
  startDemo: ['Start a demo garden', 'Ouvrir un jardin de démonstration'],
  yourRobot: ['Your robot', 'Votre robot'],

  robotSetup: ['Set up a robot', 'Installer un robot'],
  server: ['Server', 'Serveur'],
  featured: ['Featured programs', 'Programmes à l’affiche'],

  welcome: ['Welcome to your garden server', 'Bienvenue sur votre serveur de jardin'],
  howToBegin: ['How do you want to begin?', 'Comment voulez-vous commencer ?'],
  haveRobot: ['I have a robot', 'J’ai un robot'],
  showMe: ['Show me first', 'Montrez-moi d’abord'],
  whichRobot: ['Which robot is it?', 'Quel est ce robot ?'],
  otherRobot: ['Another robot, or none yet', 'Un autre robot, ou aucun pour l’instant'],
  otherRobotText: ['Begin with an empty garden.', 'Commencer avec un jardin vide.'],
  goOn: ['Go on', 'Continuer'],
  back: ['Back', 'Retour'],
  skip: ['Skip, and go to the map', 'Passer, et aller au plan'],
  connect: ['Connect your robot', 'Connecter votre robot'],
  yourPassword: ['the password of this account', 'le mot de passe de ce compte'],
  waiting: ['Waiting for your robot…', 'En attente de votre robot…'],
  arrived: ['Your robot is connected.', 'Votre robot est connecté.'],
} as const;

const en = {
  codeHintOpen:
    'The server shows it when it starts. With it the first account administers the server; without it, no account does yet.',
  codeHintClosed: 'The server shows it when it starts. Sign-up is closed except for its administrator.',
  sessionEnded: 'Your session was ended, for example after a change of your role or password. Sign in to continue.',
  newTermsText: 'Please read them, and enter your password to continue.',
  closed: 'Sign-up is closed on this server. Ask its operator for an account.',
  sentTo: (email: string) => `We sent a message to ${email}. Open the link in it to confirm your address and sign in.`,
  writtenFor: (email: string) =>
    `This server does not send mail: its operator finds the message to ${email} in the folder “outbox” of the data folder, and its link in the log. Open the link to confirm your address and sign in.`,
  resetText: 'Enter your e-mail address to get a link for choosing a new password.',
  resetSentTo: (email: string) =>
    `If there is an account with the address ${email}, we sent a message to it. The link works once, within 24 hours.`,
  resetWrittenFor: (email: string) =>
    `If there is an account with the address ${email}, the operator of this server, which does not send mail, finds a message to it in the folder “outbox” of the data folder, and its link in the log. The link works once, within 24 hours.`,
  othersSignedOut: 'All devices that are signed in, the robot included, must sign in again.',
  keepAddressText:
    'If you did not change the e-mail address of your account, choose a new password here. Your account gets this address back.',
  keepAddressHelp: 'If you can no longer sign in to your account, ask the operator of this server.',
  sharedHint: (days: number) =>
    `Otherwise this browser stays signed in for ${days} days, also in new tabs and after a restart.`,
  incomplete:
    'A new password is chosen with a link from a message. Open the link as it is there, or ask for another one.',
  otherAccount: (current: string, email: string) =>
    `You are signed in as ${current}, and the link is of the account ${email}.`,
  signInAs: (email: string) => `Sign in as ${email}`,
  stayAs: (email: string) => `Stay signed in as ${email}`,
  alreadyVerified: 'This address was already verified. You can sign in.',
  takenAddress: 'This address now belongs to another account.',
  changeAgain: 'Sign in and change the address of your account again: that sends another link.',
  invitesToGarden: (inviter: string, garden: string, role: string) =>
    `${inviter} invites you to the garden “${garden}” as ${role}.`,
  invitesToServer: (inviter: string) => `${inviter} invites you to create an account.`,
  invitationFor: (email: string) => `The invitation is for ${email}.`,
  joined: (isNew: boolean, garden: string, role: string) =>
    `${isNew ? 'Your account is ready. ' : ''}You are now in the garden “${garden}”, as ${role}.`,
  thenJoin: (garden: string) => `Then open the link of the invitation once more to join the garden “${garden}”.`,
  declineHint: (inviter: string) => `Its link no longer works then. Only ${inviter} can invite you again.`,
  signedInAs: (email: string) => `You are signed in as ${email}.`,
  deadInvitation: 'This invitation was not found: it has expired, was used or withdrawn.',
  demoText:
    'A garden with plants, tools and programs, to look around in. It needs no account and no robot, and is deleted an hour after its last use.',
  demoReplaces:
    'You are signed in. A demo garden takes the place of your session in this tab; your own garden stays as it is.',
  demoOff: 'Demo gardens are switched off on this server (DEMO_ACCOUNTS).',
  robotSteps: [
    'Install the vendor’s operating system on the robot’s memory card.',
    'On its first start the robot opens a Wi-Fi network. Join it with a phone or a laptop; a setup page opens.',
    'Enter your home network, the e-mail address and password of your account, and the address of this server:',
  ],
  reach:
    'The robot must be able to reach this server: on the same network, or over the internet if the address is public.',
  qrOf: (address: string) => `QR code of ${address}`,
  addressUnknown:
    'It is the address of the machine that runs this server, such as http://192.168.1.20:3000. Open this page under that address to see it here, or have the operator set PUBLIC_URL.',
  featuredNone: 'No programs are featured on this server yet.',
  featuredNoneText: 'The operator chooses them among those that accounts publish.',
  welcomeText: 'Create the first account to begin; it administers the server. Your robot will sign in with it, too.',
  closedNew: 'Sign-up is closed: the operator creates accounts with “potager user create EMAIL”.',
  zone: (zone: string) => `Time zone of the garden: ${zone}, as in this browser.`,
  haveRobotText: 'Choose your kit, and connect the robot. Its tools, pins and programs are set up for it.',
  showMeText: 'A garden full of plants, and a virtual robot that moves, waters and takes photos.',
  version: (version: string) => `version ${version}`,
  connectText: 'A new robot opens its own Wi-Fi network. Join it, and enter this on its setup page:',
  later: 'You can do this later: the map works without it.',
};

const fr: typeof en = {
  codeHintOpen:
    'Le serveur l’affiche à son démarrage. Avec ce code, le premier compte administre le serveur ; sans lui, aucun ne l’administre encore.',
  codeHintClosed: 'Le serveur l’affiche à son démarrage. Les inscriptions sont fermées, sauf pour son administrateur.',
  sessionEnded:
    'Votre session a été fermée, comme après un changement de votre rôle ou mot de passe. Connectez-vous pour continuer.',
  newTermsText: 'Lisez-les, puis saisissez votre mot de passe pour continuer.',
  closed: 'Les inscriptions sont fermées sur ce serveur. Demandez un compte à son exploitant.',
  sentTo: (email) =>
    `Nous avons envoyé un message à ${email}. Ouvrez son lien pour confirmer votre adresse et vous connecter.`,
  writtenFor: (email) =>
    `Ce serveur n’envoie pas d’e-mails : son exploitant trouve le message à ${email} dans le dossier « outbox » du dossier de données, et son lien dans le journal. Ouvrez le lien pour confirmer votre adresse et vous connecter.`,
  resetText: 'Saisissez votre adresse e-mail pour recevoir un lien permettant de choisir un nouveau mot de passe.',
  resetSentTo: (email) =>
    `S’il existe un compte avec l’adresse ${email}, nous lui avons envoyé un message. Le lien fonctionne une fois, pendant 24 heures.`,
  resetWrittenFor: (email) =>
    `S’il existe un compte avec l’adresse ${email}, l’exploitant de ce serveur, qui n’envoie pas d’e-mails, trouve son message dans le dossier « outbox » du dossier de données, et son lien dans le journal. Le lien fonctionne une fois, pendant 24 heures.`,
  othersSignedOut: 'Tous les appareils connectés, robot compris, devront se reconnecter.',
  keepAddressText:
    'Si vous n’avez pas changé l’adresse e-mail de votre compte, choisissez ici un nouveau mot de passe. Votre compte retrouve cette adresse.',
  keepAddressHelp: 'Si vous ne pouvez plus vous connecter à votre compte, adressez-vous à l’exploitant de ce serveur.',
  sharedHint: (days) =>
    `Sinon, ce navigateur reste connecté ${days} jours, aussi dans de nouveaux onglets et après un redémarrage.`,
  incomplete:
    'Un nouveau mot de passe se choisit avec le lien d’un message. Ouvrez ce lien tel qu’il est, ou demandez-en un autre.',
  otherAccount: (current, email) =>
    `Vous êtes connecté en tant que ${current}, et le lien est celui du compte ${email}.`,
  signInAs: (email) => `Se connecter en tant que ${email}`,
  stayAs: (email) => `Rester connecté en tant que ${email}`,
  alreadyVerified: 'Cette adresse est déjà confirmée. Vous pouvez vous connecter.',
  takenAddress: 'Cette adresse appartient désormais à un autre compte.',
  changeAgain: 'Connectez-vous et changez à nouveau l’adresse de votre compte : un autre lien sera envoyé.',
  invitesToGarden: (inviter, garden, role) => `${inviter} vous invite dans le jardin « ${garden} » comme ${role}.`,
  invitesToServer: (inviter) => `${inviter} vous invite à créer un compte.`,
  invitationFor: (email) => `L’invitation est destinée à ${email}.`,
  joined: (isNew, garden, role) =>
    `${isNew ? 'Votre compte est prêt. ' : ''}Vous êtes maintenant dans le jardin « ${garden} », comme ${role}.`,
  thenJoin: (garden) =>
    `Ouvrez ensuite encore une fois le lien de l’invitation pour rejoindre le jardin « ${garden} ».`,
  declineHint: (inviter) => `Son lien ne fonctionnera plus. Seul ${inviter} pourra vous inviter à nouveau.`,
  signedInAs: (email) => `Vous êtes connecté en tant que ${email}.`,
  deadInvitation: 'Cette invitation est introuvable : elle a expiré, a été utilisée ou annulée.',
  demoText:
    'Un jardin avec des plantes, des outils et des programmes, pour faire un tour. Il ne demande ni compte ni robot, et est supprimé une heure après sa dernière utilisation.',
  demoReplaces:
    'Vous êtes connecté. Un jardin de démonstration remplace votre session dans cet onglet ; votre propre jardin reste tel quel.',
  demoOff: 'Les jardins de démonstration sont désactivés sur ce serveur (DEMO_ACCOUNTS).',
  robotSteps: [
    'Installez le système d’exploitation du fabricant sur la carte mémoire du robot.',
    'À son premier démarrage, le robot ouvre un réseau Wi-Fi. Rejoignez-le avec un téléphone ou un ordinateur ; une page de configuration s’ouvre.',
    'Saisissez votre réseau, l’adresse e-mail et le mot de passe de votre compte, et l’adresse de ce serveur :',
  ],
  reach: 'Le robot doit pouvoir joindre ce serveur : sur le même réseau, ou par internet si l’adresse est publique.',
  qrOf: (address) => `Code QR de ${address}`,
  addressUnknown:
    'C’est l’adresse de la machine qui fait tourner ce serveur, par exemple http://192.168.1.20:3000. Ouvrez cette page à cette adresse pour la voir ici, ou demandez à l’exploitant de régler PUBLIC_URL.',
  featuredNone: 'Aucun programme n’est encore à l’affiche sur ce serveur.',
  featuredNoneText: 'L’exploitant les choisit parmi ceux que des comptes publient.',
  welcomeText:
    'Créez le premier compte pour commencer ; il administre le serveur. Votre robot se connectera aussi avec lui.',
  closedNew: 'Les inscriptions sont fermées : l’exploitant crée les comptes avec « potager user create EMAIL ».',
  zone: (zone) => `Fuseau horaire du jardin : ${zone}, celui de ce navigateur.`,
  haveRobotText:
    'Choisissez votre kit et connectez le robot. Ses outils, ses broches et ses programmes sont préparés pour lui.',
  showMeText: 'Un jardin plein de plantes, et un robot virtuel qui se déplace, arrose et prend des photos.',
  version: (version) => `version ${version}`,
  connectText: 'Un nouveau robot ouvre son propre réseau Wi-Fi. Rejoignez-le, et saisissez ceci sur sa page :',
  later: 'Vous pouvez le faire plus tard : le plan fonctionne sans lui.',
};

export const authText = catalog({ en, fr, words });
