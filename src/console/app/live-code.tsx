import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { hearPlatform } from '../wire/events.ts';
import type { CodeProblem, CodeState, RefusedProject, TypeProblem } from './code-problems.tsx';

const CodeProblems = lazy(async () => ({ default: (await import('./code-problems.tsx')).CodeProblems }));

/**
 * Keeps the screens with the code: a save is on the screen at once, and what is wrong with it is told with its place. A form that
 * somebody is filling in stays as it is.
 */
export function LiveCode({ environment }: { readonly environment: string }) {
  const client = useQueryClient();
  const [code, setCode] = useState<CodeState>({ types: [] });
  useEffect(
    () =>
      hearPlatform(environment, (event) => {
        if (event.type === 'dev') {
          const said = event.event as unknown as DevEvent;
          setCode((now) => afterDevEvent(now, said));
          if (changesModel.has(said.event)) refreshModel(client, environment);
        } else if (event.type === 'schema') refreshModel(client, environment);
        else if (event.type === 'note') void client.invalidateQueries({ queryKey: ['notes', environment] });
        else if (event.type === 'approval') void client.invalidateQueries({ queryKey: ['approvals', environment] });
        else if (event.type === 'deployment') void client.invalidateQueries({ queryKey: ['deliveries', environment] });
        else if (event.type === 'rights') void client.invalidateQueries();
      }),
    [client, environment],
  );
  if (!code.problem && !code.failure && code.types.length === 0) return null;
  return (
    <Suspense>
      <CodeProblems code={code} onClose={() => setCode(({ failure: _seen, ...still }) => still)} />
    </Suspense>
  );
}

/** The agent serves other code, or other tables. */
const changesModel: ReadonlySet<string> = new Set(['reloaded', 'restarted', 'tables-changed', 'permissions']);

function afterDevEvent(now: CodeState, { event, error, errors, serves }: DevEvent): CodeState {
  if (event === 'types') return { ...now, types: errors ?? [] };
  if (event === 'error' && error) return { ...now, problem: serves ? { ...error, serves } : error };
  if (event === 'request-failed' && error) return { ...now, failure: error };
  return event === 'reloaded' || event === 'restarted' ? { types: now.types } : now;
}

function refreshModel(client: QueryClient, environment: string): void {
  for (const key of ['schema', 'rows', 'record']) void client.invalidateQueries({ queryKey: [key, environment] });
}

/** What `dev` says of the code that is being written, as far as the console shows it. */
interface DevEvent {
  readonly event: string;
  /** Of `error` and `request-failed`. */
  readonly error?: CodeProblem;
  /** Of `error`: what requests are answered with since. */
  readonly serves?: RefusedProject['serves'];
  /** Of `types`: the errors that were found, none where all is right again. */
  readonly errors?: readonly TypeProblem[];
}
