import { boolean, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';

export const wizardStepResults = resource('wizard_step_results', {
  tag: 'Device',
  max: 1000,
  example: { slug: 'firmware', answer: true },
  description: 'The result of a step of the setup wizard.',
  changeLogName: null,
  routes: ['list', 'create', 'update', 'destroy'],
  paginated: true,
  coercion: 'cast',
  fields: {
    answer: boolean().nullable().label('Answer', 'Réponse'),
    outcome: text().nullable().label('Outcome', 'Résultat'),
    slug: text().required().label('Name of the notice', 'Nom de l’avis'),
  },
});
