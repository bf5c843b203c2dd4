import { catalog } from '../ui/language.ts';

const en: Readonly<Record<string, string>> = {
  name: 'Name',
  pin_num: 'Pin',
  pin: 'Pin',
  url: 'Address (URL)',
  flow_rate_ml_per_s: 'Flow rate (ml per second)',
  seeder_tip_z_offset: 'Seeder tip offset in z (mm)',
  sequence_id: 'Program',
  special_action: 'Action',
  sort_type: 'Order',
  x: 'x (mm)',
  y: 'y (mm)',
  z: 'z (mm)',
};

const fr: Readonly<Record<string, string>> = {
  name: 'Nom',
  label: 'Nom',
  notes: 'Notes',
  mode: 'Mode',
  key: 'Clé',
  value: 'Valeur',
  type: 'Type',
  pin: 'Broche',
  pin_num: 'Broche',
  url: 'Adresse (URL)',
  flow_rate_ml_per_s: 'Débit (ml par seconde)',
  seeder_tip_z_offset: 'Décalage z de la pointe du semoir (mm)',
  sequence_id: 'Programme',
  special_action: 'Action',
  sort_type: 'Ordre',
  x: 'x (mm)',
  y: 'y (mm)',
  z: 'z (mm)',
};

/** Words for field names that the names themselves do not give; those of settings are in setting-words.ts. */
export const fieldText = catalog({ en, fr });
