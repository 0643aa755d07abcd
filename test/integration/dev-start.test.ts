import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dev } from '#flows/dev/dev';
import type { DevEvent } from '#flows/dev/dev-event';
import type { DevInput } from '#flows/dev/dev-input';
import type { FlowContext } from '#flows/flow-context';
import { updateTypings } from '#flows/schema/update-typings';
import { eventuallyTrue } from '../helpers/eventually.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';

const anyPort = { port: 0, isExact: false };

/** What a session tells until it has told `ready` and what belongs to the start. */
async function startEvents(
  root: string,
  change: { readonly input?: Partial<DevInput>; readonly context?: Partial<FlowContext> } = {},
): Promise<readonly DevEvent[]> {
  const quit = new AbortController();
  const running = Promise.withResolvers<void>();
  const events: DevEvent[] = [];
  const session = dev(
    { ...flowContext(root), ...change.context },
    {
      folder: root,
      ports: { agent: anyPort, sandbox: anyPort, mcp: anyPort },
      developer: { name: 'Test Developer', email: 'developer@test.local' },
      shouldWaitForFix: false,
      drainMs: 0,
      signal: quit.signal,
      tell: (event) => void events.push(event),
      onRunning: () => running.resolve(),
      ...change.input,
    },
  );
  await Promise.race([running.promise, session]);
  quit.abort();
  await session;
  return events;
}

/** A context that tells which steps begin, and between them the threads that this process starts. */
function stepsAndThreads(root: string) {
  const begun: string[] = [];
  const noteThread = () => void begun.push('a thread');
  process.on('worker', noteThread);
  onTestFinished(() => void process.off('worker', noteThread));
  const plain = flowContext(root);
  const step: FlowContext['reporter']['step'] = (title, work) => {
    begun.push(title);
    return plain.reporter.step(title, work);
  };
  return { begun, context: { ...plain, reporter: { ...plain.reporter, step } } };
}

describe('the one worker of a project', () => {
  it('starts beside the platform of a dev session', async () => {
    const root = await createShopProject();
    const { begun, context } = stepsAndThreads(root);
    await startEvents(root, { input: { isOnce: true }, context });
    // Node.js tells of a thread a moment after its start.
    expect(begun).toEqual(['Starting the local platform', 'a thread', 'Loading the customizations']);
  });

  it('starts before the code is built that is loaded once', async () => {
    const root = await createShopProject();
    const { begun, context } = stepsAndThreads(root);
    await updateTypings(context, root);
    expect(begun).toEqual(['a thread', 'Reading the databases and the customizations']);
  });

  it('ends when the platform cannot start', { tags: 'long' }, async () => {
    const root = await createShopProject();
    const { context } = stepsAndThreads(root);
    const workers: Worker[] = [];
    const note = (worker: Worker) => void workers.push(worker);
    process.on('worker', note);
    onTestFinished(() => void process.off('worker', note));
    const taken = await startHttpServer(() => undefined);
    const ports = { agent: anyPort, sandbox: { port: taken.port, isExact: true }, mcp: anyPort };
    await expect(startEvents(root, { input: { ports }, context })).rejects.toMatchObject({
      code: 'MACHINE_PORT_IN_USE',
    });
    // A thread that has ended has no number.
    expect(workers.map(({ threadId }) => threadId)).toEqual([-1]);
  });
});

describe('a dev session that begins with broken code', () => {
  it('takes what somebody saves while that code is still tried', { tags: 'long' }, async () => {
    const root = await createShopProject();
    const [entry, marker] = [path.join(root, 'src/index.ts'), path.join(root, 'begun')];
    await writeFile(
      entry,
      `import { writeFileSync } from 'node:fs';
      writeFileSync(${JSON.stringify(marker)}, '');
      for (const end = performance.now() + 1_000; performance.now() < end; );
      throw new Error('broken');`,
    );
    const session = startEvents(root, { input: { shouldWaitForFix: true } });
    await eventuallyTrue(() => existsSync(marker), { interval: 10 });
    await writeFile(entry, 'export default () => undefined;');
    const events = await session;
    expect(events.slice(0, 2).map(({ event }) => event)).toEqual(['error', 'ready']);
  });

  it('reads the databases that the project has when the code is corrected', async () => {
    const root = await createShopProject();
    const [entry, config] = [path.join(root, 'src/index.ts'), path.join(root, 'vendor-cloud.json')];
    await writeFile(entry, 'export default (');
    const events: DevEvent[] = [];
    const tell = (event: DevEvent) => void events.push(event);
    const session = startEvents(root, { input: { shouldWaitForFix: true, tell } });
    await eventuallyTrue(() => events.some(({ event }) => event === 'error'));
    const project = JSON.parse(await readFile(config, 'utf8')) as { dataSources: { main: object } };
    project.dataSources.main = { uri: 'sqlite:${SHOP}', include: ['products'] };
    await writeFile(config, JSON.stringify(project));
    await eventuallyTrue(() =>
      events.some((told) => told.event === 'error' && told.error.code === 'PROJECT_VARIABLE_MISSING'),
    );
    const variables = path.join(root, '.env');
    await writeFile(variables, `${await readFile(variables, 'utf8')}SHOP=./shop.sqlite\n`);
    await writeFile(entry, 'export default () => undefined;');
    await session;
    expect(events.find(({ event }) => event === 'ready')).toMatchObject({ collections: ['products'] });
  });
});

describe('a dev session that runs once', () => {
  it('stops by itself when every server has answered', { tags: 'long' }, async () => {
    const root = await createShopProject();
    const events = await startEvents(root, { input: { isOnce: true } });
    expect(events.map(({ event }) => event)).toEqual(['ready', 'stopped']);
  });

  it('rejects with what is wrong with the code', async () => {
    const root = await createShopProject();
    await writeFile(path.join(root, 'src/index.ts'), 'export default () => { throw new Error("broken"); };');
    await expect(startEvents(root, { input: { isOnce: true } })).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
    });
  });
});

describe('the start of a dev session', () => {
  it('warns of a password in the code, and does not show it', async () => {
    const root = await createShopProject();
    const uri = 'postgres://shop:s3cret@db.example.com/shop';
    await writeFile(path.join(root, 'src/index.ts'), `export const uri = '${uri}';\nexport default () => undefined;\n`);
    const events = await startEvents(root);
    const warnings = events.filter(({ event }) => event === 'warning');
    expect(warnings).toEqual([
      { event: 'warning', message: expect.stringContaining('src/index.ts:1: a connection URI holds a password.') },
    ]);
    expect(JSON.stringify(events)).not.toContain('s3cret');
  });

  it('tells "ready" first, also when it has written types', async () => {
    const root = await createShopProject();
    await rm(path.join(root, 'typings.d.ts'));
    const events = await startEvents(root);
    expect(events.map(({ event }) => event)).toEqual(['ready', 'typings', 'stopped']);
  });

  it('says which port it took in place of a busy one, and which process has that', async () => {
    const root = await createShopProject();
    const { port } = await startHttpServer((_request, response) => response.end('somebody else'));
    const ports = { agent: { port, isExact: false }, sandbox: anyPort, mcp: anyPort };
    const events = await startEvents(root, { input: { ports } });
    const ready = events.find((event) => event.event === 'ready');
    const taken = new URL(ready?.agent.url ?? '').port;
    expect(taken).not.toBe(String(port));
    expect(events).toContainEqual({
      event: 'warning',
      message: `The agent listens on port ${taken}, because node (pid ${process.pid}) uses port ${port}.`,
    });
  });

  it('refuses the secret of a production environment before it starts anything', async () => {
    const root = await createShopProject();
    const platform = await startTeamPlatform();
    const { body } = await platform.call('POST', '/api/environments', { name: 'live', type: 'production' });
    const { secret } = body as { secret: string };
    const variables = { SERVICE_SERVER_URL: platform.url, SERVICE_ENV_SECRET: secret };
    await expect(startEvents(root, { context: { variables } })).rejects.toMatchObject({
      code: 'PRODUCTION_KEY_REFUSED',
      message: expect.stringContaining('"live", a production environment'),
      nextSteps: expect.arrayContaining([expect.stringContaining('Unset SERVICE_ENV_SECRET')]),
    });
  });

  it.each([
    ['a digit too few', 'a'.repeat(63)],
    ['a digit too many', 'a'.repeat(65)],
    ['upper-case digits', 'A'.repeat(64)],
    ['a line break at its end', `"${'a'.repeat(64)}\n"`],
  ])('refuses a SERVICE_ENV_SECRET in .env with %s, and leaves nothing behind', async (_what, secret) => {
    const root = await createShopProject();
    await writeFile(path.join(root, '.env'), `SERVICE_ENV_SECRET=${secret}\n`);
    const error: unknown = await startEvents(root).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'PROJECT_ENV_FILE_INVALID',
      message: 'SERVICE_ENV_SECRET is malformed: it must be 64 lower-case hexadecimal digits.',
      nextSteps: [expect.stringContaining('Correct it in .env')],
    });
    const left = await readdir(path.join(root, '.vendor-cloud'));
    expect(left.filter((name) => /session|platform/.test(name))).toEqual([]);
  });

  it('starts with the secret of a development environment, and with one that the platform does not know', {
    tags: 'long',
  }, async () => {
    const root = await createShopProject();
    const platform = await startTeamPlatform();
    for (const secret of [platform.envSecret, 'f'.repeat(64)]) {
      const variables = { SERVICE_SERVER_URL: platform.url, SERVICE_ENV_SECRET: secret };
      const [first] = await startEvents(root, { context: { variables } });
      expect(first?.event).toBe('ready');
    }
  });

  it('starts while the platform of the project is away, and says that it could not ask about the secret', async () => {
    const root = await createShopProject();
    const warnings: string[] = [];
    const { reporter } = flowContext(root);
    const [first] = await startEvents(root, {
      context: {
        variables: { SERVICE_SERVER_URL: 'http://127.0.0.1:9' },
        reporter: { ...reporter, warn: (message) => void warnings.push(message) },
      },
    });
    expect(first?.event).toBe('ready');
    expect(warnings).toEqual([expect.stringContaining('Nobody knows whether SERVICE_ENV_SECRET')]);
  });
});

describe('the log of a dev session', () => {
  it('has the requests that the filter asks for', async () => {
    const root = await createShopProject();
    const logs = { level: 'Info', shouldTell: ({ message }) => message.includes('/count') } satisfies DevInput['logs'];
    const events = await startEvents(root, { input: { logs, isOnce: true } });
    expect(events.filter(({ event }) => event === 'log')).toMatchObject([
      { level: 'Info', message: 'GET /service/categories/count 200', facts: { status: 200 } },
    ]);
    expect(events[0]?.event).toBe('ready');
  });
});
