import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createConsoleRouter } from './app/routes.tsx';
import './design/tokens.css';
import './design/base.css';
import { LanguageContext, loadLanguage } from './messages/index.ts';
import { applyPreferences, preferences } from './model/preferences.ts';
import { shareEqual } from './wire/exact-json.ts';
import { RequestFailed } from './wire/http.ts';

/** A request that got no answer is asked again; what a server refused is not. */
function isWorthAnotherTry(tries: number, error: Error): boolean {
  return error instanceof RequestFailed && error.status === 0 && tries < 3;
}

/** A platform on this machine answers without a network: requests are sent whatever the browser says of it. */
const networkMode = 'always';
const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode,
      retry: isWorthAnotherTry,
      refetchOnWindowFocus: true,
      staleTime: 5_000,
      structuralSharing: shareEqual,
    },
    mutations: { networkMode, retry: false },
  },
});

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
