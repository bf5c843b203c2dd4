import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Questions to the language model, which the limit of all devices counts. */
export const aiQuestions: Migration = {
  number: 20261122115701,
  name: 'ai questions',
  change(schema) {
    schema.createTable('ai_questions', { asked_at: column.time() }, { indexes: [['asked_at']] });
  },
};
