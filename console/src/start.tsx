import './data/initial-state.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { RouterProvider as AriaRouterProvider, I18nProvider } from 'react-aria-components';
import { createRoot } from 'react-dom/client';
import { explainRemoval } from './data/garden-reopening.ts';
import { startLive } from './data/live.ts';
import { queryClient } from './data/query-client.ts';
import { startStopSocket } from './data/stop-socket.ts';
import { router } from './router.tsx';
import { startStopKey } from './shell/stop-button.tsx';
import { useLanguage } from './ui/language.ts';
import { nameLoadErrors } from './ui/load-error.ts';
import { returnLostFocus } from './ui/lost-focus.ts';
import { startTheme } from './ui/theme.ts';
import './ui/tokens.css';
import './ui/base.css';

startTheme();
startLive();
startStopKey();
startStopSocket();
returnLostFocus();
nameLoadErrors();
explainRemoval();

const Console = () => (
  <I18nProvider locale={useLanguage()}>
    <AriaRouterProvider navigate={(href) => router.navigate({ href })}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </AriaRouterProvider>
  </I18nProvider>
);

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  );
