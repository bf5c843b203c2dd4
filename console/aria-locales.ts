import type { Plugin } from 'vite';
import { languageLabels } from '../src/core/languages.ts';

/** A file of React Aria with its sentences in one of its thirty languages: `react-aria/dist/private/intl/toast/de-DE.mjs`. */
const locale = /[\\/]react-(?:aria|aria-components|stately)[\\/].*[\\/]intl[\\/].*[\\/]([a-z]{2})-[A-Z]{2}\.[cm]?js$/;

/** Leaves out the sentences of React Aria in languages that the console does not have. */
export const ariaLocales = (): Plugin => ({
  name: 'locales of React Aria',
  load: {
    filter: { id: locale },
    handler(id) {
      const [, language = ''] = locale.exec(id) ?? [];
      return Object.hasOwn(languageLabels, language) ? undefined : 'export default undefined;';
    },
  },
});
