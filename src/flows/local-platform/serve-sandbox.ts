import type { WantedPort } from '#kernel/ports/tcp';
import { openProject } from '#project/index';
import { type DevLock, takeDevLock } from '../dev-session/dev-session-lock.ts';
import { untilEndOrGone } from '../dev-session/project-place.ts';
import type { FlowContext } from '../flow-context.ts';
import { createCleanups } from '../lifetime.ts';
import { portsInUse } from './ports-in-use.ts';
import { type Developer, startLocalPlatform } from './start-local-platform.ts';

export interface ServeSandboxInput {
  readonly folder: string;
  readonly port: WantedPort;
  readonly developer: Developer;
  /** Ends it. */
  readonly signal: AbortSignal;
  tell(event: SandboxEvent): void;
}

/** What the local platform reports to the person or the script that started it. */
export type SandboxEvent =
  | {
      readonly event: 'ready';
      readonly project: { readonly path: string };
      readonly sandbox: { readonly url: string };
      /** What an agent comes with. */
      readonly envSecret: string;
      /** What commands come with, valid until the platform stops. */
      readonly token: string;
    }
  /** Another port than usual is taken. */
  | { readonly event: 'warning'; readonly message: string }
  | { readonly event: 'stopped' };

/**
 * Serve the local platform of a project, without an agent, until `signal` aborts. It has the store of `dev`, so that only one of
 * them serves a project. Commands in the project find it as they find the platform of `dev`.
 */
export async function serveSandbox(context: FlowContext, input: ServeSandboxInput): Promise<void> {
  const cleanups = createCleanups();
  let lock: DevLock | undefined;
  try {
    const project = await openProject(context.fs, input.folder, context.variables);
    const taken = await takeDevLock(context, project.root);
    lock = taken;
    cleanups.add(() => taken.release());
    const { url, envSecret, userToken, stop } = await startLocalPlatform(context, project, input);
    cleanups.add(stop);
    await taken.publish({ sandboxUrl: url, platformToken: userToken });
    input.tell({ event: 'ready', project: { path: project.root }, sandbox: { url }, envSecret, token: userToken });
    const name = 'The local platform';
    for (const message of await portsInUse(context, [{ name, wanted: input.port, url }])) {
      input.tell({ event: 'warning', message });
    }
    await untilEndOrGone(context.fs, { root: project.root, hasStore: true, signal: input.signal });
  } finally {
    // Added last, it runs first.
    if (lock) cleanups.add(lock.announceEnd);
    await cleanups.runAll();
  }
  input.tell({ event: 'stopped' });
}
