import { catalog } from '../ui/language.ts';

const en = {
  signIn: 'Sign in',
  email: 'E-mail',
  password: 'Password',
};

const fr: typeof en = {
  signIn: 'Se connecter',
  email: 'Adresse e-mail',
  password: 'Mot de passe',
};

export const accountText = catalog({ en, fr });
