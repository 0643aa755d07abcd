import path from 'node:path';
import { onTestFinished } from 'vitest';
import { dev } from '#flows/dev/dev';
import type { DevEvent } from '#flows/dev/dev-event';
import type { DevControls } from '#flows/dev/dev-input';
import { flowContext } from './flow-context.ts';
import { createShopProject } from './shop-project.ts';

type EventOf<Name extends DevEvent['event']> = Extract<DevEvent, { event: Name }>;

export interface DevSession {
  readonly root: string;
  readonly entry: string;
  readonly ready: EventOf<'ready'>;
  readonly controls: DevControls;
  /** The next event of that name; those before it are passed over. */
  next<Name extends DevEvent['event']>(name: Name): Promise<EventOf<Name>>;
  /** Events that nobody has waited for yet. */
  pending(): readonly DevEvent[];
  stop(): Promise<void>;
}

/**
 * A project, by default a new one with the sample shop, served in this process with its agent in a worker thread, until the
 * test ends.
 */
export async function startDevSession(
  project?: string,
  as?: string,
  remote?: string | null,
  variables: Readonly<Record<string, string>> = {},
): Promise<DevSession> {
  const root = project ?? (await createShopProject());
  const plain = flowContext(root);
  const context = { ...plain, variables: { ...plain.variables, ...variables } };
  const events: DevEvent[] = [];
  let wake: (() => void) | undefined;
  const quit = new AbortController();
  let controls: DevControls | undefined;
  const any = { port: 0, isExact: false };
  const session = dev(context, {
    folder: root,
    as,
    remote,
    ports: { agent: any, sandbox: any, mcp: any },
    developer: { name: 'Test Developer', email: 'developer@test.local' },
    shouldWaitForFix: false,
    drainMs: 100,
    signal: quit.signal,
    tell(event) {
      events.push(event);
      wake?.();
    },
    onRunning(given) {
      controls = given;
    },
  });
  const failure = session.then(
    () => undefined,
    (error: unknown) => error,
  );
  const next = async <Name extends DevEvent['event']>(name: Name): Promise<EventOf<Name>> => {
    for (;;) {
      const event = events.shift();
      if (event?.event === name) return event as EventOf<Name>;
      if (event) continue;
      const woken = new Promise<null>((resolve) => {
        wake = () => resolve(null);
      });
      const error = await Promise.race([woken, failure.then((thrown) => thrown ?? new Error('The session ended.'))]);
      if (error && events.length === 0) throw error;
    }
  };
  const stop = async () => {
    quit.abort();
    await session;
  };
  onTestFinished(async () => {
    quit.abort();
    await failure;
  });
  const ready = await next('ready');
  if (!controls) throw new Error('The session is ready and cannot be controlled.');
  return { root, entry: path.join(root, 'src/index.ts'), ready, controls, next, pending: () => events, stop };
}

/** What the agent of a session, or a host, answers to a creation: the status, and the codes of errors. */
export async function createRecord(
  { ready }: { readonly ready: { readonly agent: { readonly url: string }; readonly token: string } },
  collection: string,
  attributes: Readonly<Record<string, unknown>>,
): Promise<readonly (number | string)[]> {
  const response = await fetch(`${ready.agent.url}/${collection}?timezone=UTC`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ready.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ data: { type: collection, attributes } }),
  });
  const { errors = [] } = (await response.json()) as { errors?: readonly { code: string }[] };
  return [response.status, ...errors.map(({ code }) => code)];
}
