import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button, Notice } from '../design/controls.tsx';
import { useFirstMessages } from '../messages/index.ts';
import { hearPlatform } from '../wire/events.ts';

/** What is wrong with the code that is being written. */
interface CodeState {
  /** The last save was refused. */
  readonly problem?: CodeProblem;
  readonly types: readonly TypeProblem[];
  /** The last request that met an error of the code. */
  readonly failure?: CodeProblem;
}

/**
 * Keeps the screens with the code: a save is on the screen at once, and what is wrong with it is told with its place. A form that
 * somebody is filling in stays as it is.
 */
export function LiveCode({ environment }: { readonly environment: string }) {
  const messages = useFirstMessages();
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
  const { problem, types, failure } = code;
  return (
    <>
      {problem && <Problem title={messages.codeBroken} problem={problem} />}
      {types[0] && <Problem title={messages.typeErrors(types.length)} problem={asProblem(types[0])} />}
      {failure && (
        <Problem
          title={messages.requestFailed}
          problem={failure}
          onClose={() =>
            setCode(({ problem: still, types: open }) => ({ ...(still ? { problem: still } : {}), types: open }))
          }
        />
      )}
    </>
  );
}

interface ProblemProps {
  readonly title: string;
  readonly problem: CodeProblem;
  readonly onClose?: () => void;
}

function Problem({ title, problem: { message, location }, onClose }: ProblemProps) {
  const messages = useFirstMessages();
  return (
    <Notice kind="warning" title={title}>
      <p>
        {message} {location && <code>{`${location.file}:${location.line}`}</code>}
      </p>
      {location?.frame && <pre>{location.frame}</pre>}
      {onClose && (
        <div>
          <Button onClick={onClose}>{messages.close}</Button>
        </div>
      )}
    </Notice>
  );
}

/** The agent serves other code, or other tables. */
const changesModel: ReadonlySet<string> = new Set(['reloaded', 'restarted', 'tables-changed', 'permissions']);

function afterDevEvent(now: CodeState, { event, error, errors }: DevEvent): CodeState {
  if (event === 'types') return { ...now, types: errors ?? [] };
  if (event === 'error' && error) return { ...now, problem: error };
  if (event === 'request-failed' && error) return { ...now, failure: error };
  return event === 'reloaded' || event === 'restarted' ? { types: now.types } : now;
}

function refreshModel(client: QueryClient, environment: string): void {
  for (const key of ['schema', 'rows', 'record']) void client.invalidateQueries({ queryKey: [key, environment] });
}

function asProblem({ file, line, message, frame }: TypeProblem): CodeProblem {
  return { message, location: { file, line, ...(frame === undefined ? {} : { frame }) } };
}

/** What `dev` says of the code that is being written, as far as the console shows it. */
interface DevEvent {
  readonly event: string;
  /** Of `error` and `request-failed`. */
  readonly error?: CodeProblem;
  /** Of `types`: the errors that were found, none where all is right again. */
  readonly errors?: readonly TypeProblem[];
}

/** An error of the code, with its place. */
interface CodeProblem {
  readonly message: string;
  readonly location?: { readonly file: string; readonly line: number; readonly frame?: string };
}

interface TypeProblem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
  /** The lines around it. */
  readonly frame?: string;
}
