import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { SignJWT } from 'jose';
import { freePort } from '../../test/helpers/free-port.ts';
import type { AgentTarget, ProcessTarget } from './target.ts';

export const authSecret = 'a'.repeat(64);

/** Who asks the agent. */
export const caller = {
  id: 7,
  email: 'ada@example.test',
  firstName: 'Ada',
  lastName: 'Lovelace',
  team: 'Operations',
  role: 'Operations',
  permissionLevel: 'user' as const,
  renderingId: 3,
  tags: {},
};

/** Start an agent in a process of its own, on any free port. `stops` gets what ends it. */
export async function startAgent(
  databaseUrl: string,
  serverUrl: string,
  folder: string,
  stops: (() => Promise<unknown>)[],
  variables: Readonly<Record<string, string>> = {},
): Promise<AgentTarget> {
  const child = execa(process.execPath, [path.join(import.meta.dirname, 'agent.js')], {
    ipc: true,
    env: {
      DATABASE_URL: databaseUrl,
      SERVER_URL: serverUrl,
      AUTH_SECRET: authSecret,
      SCHEMA_PATH: path.join(folder, 'schema.json'),
      ...variables,
    },
    reject: false,
    stderr: 'inherit',
  });
  stops.push(async () => {
    child.kill();
    await child;
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { port, silentPort, lazyPort } = JSON.parse(line) as { port: number; silentPort?: number; lazyPort?: number };
  const token = await new SignJWT({ ...caller })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(authSecret));
  const { pid } = child;
  assert.ok(pid, 'The agent has no process.');
  const headers = { authorization: `Bearer ${token}` };
  const at = (onPort: number) => ({ base: `http://127.0.0.1:${onPort}/service`, headers });
  return {
    ...at(port),
    silent: silentPort === undefined ? undefined : at(silentPort),
    lazy: lazyPort === undefined ? undefined : at(lazyPort),
    pid,
    async profile(work) {
      await child.sendMessage('profile');
      await child.getOneMessage();
      await work();
      await child.sendMessage('stop');
      return (await child.getOneMessage()) as Record<string, number>;
    },
  };
}

/** Start the bare server of an engine in a process of its own. `stops` gets what ends it. */
export async function startFloor(databaseUrl: string, stops: (() => Promise<unknown>)[]): Promise<ProcessTarget> {
  const port = await freePort();
  const child = execa(process.execPath, [path.join(import.meta.dirname, 'floor.js')], {
    env: { DATABASE_URL: databaseUrl, PORT: String(port) },
    reject: false,
    stderr: 'inherit',
  });
  stops.push(async () => {
    child.kill();
    await child;
  });
  const base = `http://127.0.0.1:${port}/service`;
  for (let attempt = 0; ; attempt++) {
    const isUp = await fetch(`${base}/customers/count`).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return { base, headers: {}, pid: child.pid ?? 0 };
    assert.ok(attempt < 100, 'The floor server does not answer.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
