import { boolean, text } from '../engine/fields.ts';
import { resource } from '../engine/resource.ts';

export const wizardStepResults = resource('wizard_step_results', {
  about: 'How a step of the setup wizard went.',
  announced: null,
  routes: 'list create update destroy',
  paginated: true,
  reading: 'cast',
  fields: {
    answer: boolean().nullable(),
    outcome: text().nullable(),
    slug: text().required(),
  },
});
