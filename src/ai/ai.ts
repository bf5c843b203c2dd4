import type { Foundation, Room } from '../foundation.ts';
import type { AiServices } from './ai-route.ts';
import { aiRoute } from './ai-route.ts';
import type { ModelService } from './language-model.ts';
import { LanguageModel } from './language-model.ts';

/** The settings and rooms that questions to a language model depend on. */
export interface AiDependencies extends Omit<AiServices, 'model'> {
  /** The address of the model; null: none is configured. */
  readonly service: ModelService | null;
}

/** Opens the questions to a language model. */
export const openAi = (_foundation: Foundation, { service, ...services }: AiDependencies): Room => ({
  routes: [aiRoute({ ...services, model: service && new LanguageModel(service) })],
  jobs: [],
});
