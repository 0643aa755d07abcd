import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createConsoleRouter } from './app/routes.tsx';
import './design/tokens.css';
import './design/base.css';
import { LanguageContext, loadLanguage } from './messages/index.ts';
import { applyPreferences, preferences } from './model/preferences.ts';
import { ConsoleQueries } from './wire/queries.ts';

const queryClient = new ConsoleQueries();

/** The parts of a language may need this file, so it ends before they are loaded. */
async function start(): Promise<void> {
  const language = await loadLanguage(preferences().language);
  document.documentElement.lang = language.code;
  const root = document.getElementById('root');
  if (!root) throw new Error('The page has no element "root".');
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <LanguageContext value={language}>
          <RouterProvider router={createConsoleRouter(queryClient)} />
        </LanguageContext>
      </QueryClientProvider>
    </StrictMode>,
  );
}

applyPreferences();
void start();
