import type { Words } from './languages.ts';

/** THE list of labels that fields of several resources have. The console has some of them beside fields of its own. */
export const labels = {
  address: { en: 'Address (URL)', fr: 'Adresse (URL)' },
  body: { en: 'Steps and values', fr: 'Étapes et valeurs' },
  color: { en: 'Color', fr: 'Couleur' },
  copyright: { en: 'Copyright', fr: 'Droits d’auteur' },
  crop: { en: 'Crop', fr: 'Culture' },
  description: { en: 'Description', fr: 'Description' },
  details: { en: 'Details', fr: 'Détails' },
  electronics: { en: 'Electronics', fr: 'Électronique' },
  email: { en: 'E-mail', fr: 'Adresse e-mail' },
  kind: { en: 'Kind', fr: 'Genre' },
  language: { en: 'Language', fr: 'Langue' },
  mode: { en: 'Signal', fr: 'Signal' },
  name: { en: 'Name', fr: 'Nom' },
  password: { en: 'Password', fr: 'Mot de passe' },
  passwordAgain: { en: 'Password again', fr: 'Mot de passe encore une fois' },
  pin: { en: 'Pin', fr: 'Broche' },
  radius: { en: 'Radius', fr: 'Rayon' },
  robot: { en: 'Robot', fr: 'Robot' },
  software: { en: 'Software', fr: 'Logiciel' },
  terms: { en: 'Terms of service', fr: 'Conditions d’utilisation' },
  value: { en: 'Value', fr: 'Valeur' },
  x: { en: 'x', fr: 'x' },
  y: { en: 'y', fr: 'y' },
  z: { en: 'z', fr: 'z' },
} as const satisfies Readonly<Record<string, Words>>;
