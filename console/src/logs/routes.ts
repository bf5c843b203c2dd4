import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { gardenRoute } from '../data/parent-routes.ts';
import { integerOf, present, type Search, textOf, wordOf } from '../data/search.ts';
import { logKinds, logSpanNames } from './log-filter.ts';

const kindsOf = (value: unknown): string | undefined => {
  const words = textOf(value)?.split(',') ?? [];
  return logKinds.filter((kind) => words.includes(kind)).join(',') || undefined;
};

export const logsRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'logs',
  /** `kinds`: the shown kinds, as in `error,warn`; all without. `level`: the highest verbosity. `text`: part of the message. `span`: how far back. */
  validateSearch: (search: Search) =>
    present({
      kinds: kindsOf(search.kinds),
      level: integerOf(search.level),
      text: textOf(search.text),
      span: wordOf(search.span, logSpanNames),
    }),
  component: lazyRouteComponent(() => import('./logs-page.tsx'), 'LogsPage'),
});
