import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { type Agent, createSqlDataSource } from '#runtime/index';
import { startHttpServer } from '../helpers/http-server.ts';
import { call, createShopRuntime, startShopAgent } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

interface Hold {
  /** The handler has been called for a request. */
  readonly entered: PromiseWithResolvers<void>;
  /** The handler may go on. */
  readonly release: PromiseWithResolvers<void>;
}

const hold = (): Hold => ({ entered: Promise.withResolvers(), release: Promise.withResolvers() });

const withLabel = (label: string, held?: Hold) => (shop: Agent) => {
  shop.customizeCollection('orders', (orders) =>
    orders.addField('label', {
      columnType: 'String',
      dependencies: ['id'],
      getValues: async (records) => {
        // Only a request of the test is held: the self-test reads one record.
        if (held && records.length > 1) {
          held.entered.resolve();
          await held.release.promise;
        }
        return records.map(() => label);
      },
    }),
  );
};

const labels = (json: unknown) =>
  (json as { data: { attributes: { label: string } }[] }).data.map(({ attributes }) => attributes.label);

describe('loading customization code', () => {
  it('says what the model is made of', async () => {
    const { runtime } = await startShopAgent();
    const { collections } = await runtime.load(() => undefined);
    expect(collections).toEqual(expect.arrayContaining(['customers', 'orders', 'lines', 'events', 'a b/ç']));
    expect(runtime.typings()).toContain('interface Schema');
  });

  it('names suggested settings by the data sources that it opens in place of others', async () => {
    const { runtime } = await startShopAgent();
    const file = path.join(await temporaryFolder(), 'journal.sqlite');
    const connection = await openSqlite(file);
    connection.execute('create table entries (id integer primary key, deleted_at datetime)');
    connection.close();
    const journal = createSqlDataSource(`sqlite:${file}`);
    const { collections, suggestedSettings } = await runtime.load(() => undefined, { journal });
    expect(collections).toEqual(['entries']);
    expect(suggestedSettings).toEqual({ journal: { softDelete: { entries: 'deleted_at' }, timestamps: {} } });
    expect((await runtime.load(() => undefined)).suggestedSettings).toHaveProperty('journal');
  });

  it.each([
    ['undefined', undefined],
    ['an object', { customize: () => undefined }],
    ['null', null],
  ])('refuses %s where a function is needed', async (_case, exported) => {
    const { runtime } = await startShopAgent();
    await expect(runtime.load(exported)).rejects.toMatchObject({ code: 'CUSTOMIZATION_NOT_A_FUNCTION' });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('boom'))],
    [
      'rejects in a callback',
      (shop: Agent) => {
        shop.customizeCollection('orders', async () => {
          throw new Error('boom');
        });
      },
    ],
  ])('says where code that %s did so, and keeps serving the last good version', async (_case, customize) => {
    const agent = await startShopAgent(withLabel('good'));
    const error = await agent.runtime.load(customize).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: expect.stringContaining('boom'),
      location: { file: path.resolve('test/integration/agent-runtime.test.ts'), line: expect.any(Number) },
      cause: expect.objectContaining({ message: 'boom' }),
    });
    expect(labels((await call(agent, '/orders?fields[orders]=label&page[size]=1')).json)).toEqual(['good']);
  });

  it('refuses a computed field that throws or gives too few values before anybody meets it', async () => {
    const agent = await startShopAgent(withLabel('good'));
    const broken = (getValues: () => unknown[]) => (shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders.addField('label', {
          columnType: 'String',
          dependencies: ['id'],
          getValues: getValues as () => string[],
        }),
      );
    };
    const throwing = broken(() => {
      throw new TypeError('not ready');
    });
    await expect(agent.runtime.load(throwing)).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      location: { file: path.resolve('test/integration/agent-runtime.test.ts') },
    });
    await expect(agent.runtime.load(broken(() => []))).rejects.toMatchObject({
      code: expect.stringMatching(/^CUSTOMIZATION_/),
    });
    expect(labels((await call(agent, '/orders?fields[orders]=label&page[size]=1')).json)).toEqual(['good']);
  });

  it('passes a guard that refuses everybody', async () => {
    const agent = await startShopAgent((shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders.addHook('Before', 'List', (context) => context.throwForbiddenError('Not you.')),
      );
    });
    expect((await call(agent, '/orders')).status).toBe(403);
  });

  it('refuses a segment whose function gives a condition on a field that does not exist', async () => {
    const { runtime } = await startShopAgent();
    const customize = (shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders.addSegment('odd', () => ({ field: 'nope', operator: 'Present' })),
      );
    };
    await expect(runtime.load(customize)).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: expect.stringContaining('odd'),
    });
  });

  it('calls a handler again when its text is the same and what it uses has changed', async () => {
    const agent = await startShopAgent(withLabel('good'));
    const calls: string[] = [];
    const calling = (label: string) => (shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders.addField('label', {
          columnType: 'String',
          dependencies: ['id'],
          getValues: (records) => {
            calls.push(label);
            if (label === 'broken') throw new TypeError('not ready');
            return records.map(() => label);
          },
        }),
      );
    };
    await agent.runtime.load(calling('first'));
    await agent.runtime.load(calling('first'));
    await expect(agent.runtime.load(calling('broken'))).rejects.toMatchObject({ code: 'CUSTOMIZATION_FAILED' });
    expect(calls).toEqual(['first', 'first', 'broken']);
  });

  it('lets a request that is in flight end on the version it began with', async () => {
    const held = hold();
    const agent = await startShopAgent(withLabel('old', held));
    const inFlight = call(agent, '/orders?fields[orders]=label&page[size]=2');
    await held.entered.promise;
    await agent.runtime.load(withLabel('new'));
    expect(labels((await call(agent, '/orders?fields[orders]=label&page[size]=2')).json)).toEqual(['new', 'new']);
    held.release.resolve();
    expect(labels((await inFlight).json)).toEqual(['old', 'old']);
  });

  it('opens its databases once, however often it loads', async () => {
    const { runtime } = await startShopAgent();
    const before = runtime.openConnections();
    const fingerprint = await runtime.catalogueFingerprint();
    for (let load = 0; load < 5; load++) await runtime.load(withLabel(String(load)));
    expect(runtime.openConnections()).toBe(before);
    expect(await runtime.catalogueFingerprint()).toBe(fingerprint);
  });
});

describe('listening', () => {
  it('takes another port when one is busy that nobody asked for by number', async () => {
    const { port } = await startHttpServer(() => undefined);
    const agent = await startShopAgent(undefined, { agentPort: { port, isExact: false } });
    expect(new URL(agent.agentUrl).port).not.toBe(String(port));
    expect((await call(agent, '/')).status).toBe(200);
  });

  it.each(['agentPort', 'mcpPort'] as const)(
    'names who has the port that was asked for as %s',
    { tags: 'long' },
    async (option) => {
      const { port } = await startHttpServer(() => undefined);
      const start = startShopAgent(undefined, { [option]: { port, isExact: true } });
      await expect(start).rejects.toMatchObject({
        code: 'MACHINE_PORT_IN_USE',
        message: expect.stringContaining(process.platform === 'linux' ? `(pid ${process.pid})` : `Port ${port}`),
      });
    },
  );

  it('answers that it is not started until the first load has succeeded', async () => {
    const dataSources = { main: createSqlDataSource('sqlite:/nowhere.sqlite') };
    const runtime = createShopRuntime({ dataSources });
    await expect(runtime.load(() => undefined)).rejects.toMatchObject({ code: 'DATABASE_NOT_FOUND' });
    const { agentUrl } = await runtime.listen();
    const response = await fetch(`${agentUrl}/orders`);
    expect(await response.json()).toEqual({ error: 'Agent is not started' });
  });
});

/** Longer than any test may take. */
const endlessMs = 24 * 60 * 60_000;

describe('stopping', () => {
  it('lets a request in flight end, and refuses new ones', async () => {
    const held = hold();
    const agent = await startShopAgent(withLabel('slow', held));
    const inFlight = call(agent, '/orders?fields[orders]=label&page[size]=2');
    await held.entered.promise;
    const stopped = agent.runtime.stop(endlessMs);
    held.release.resolve();
    expect((await inFlight).status).toBe(200);
    await stopped;
    await expect(call(agent, '/')).rejects.toThrow();
    expect(agent.runtime.openConnections()).toBe(0);
  });

  it('does not wait for clients that keep their connection without a request', async () => {
    const agent = await startShopAgent();
    expect((await call(agent, '/orders')).status).toBe(200);
    await agent.runtime.stop(endlessMs);
    expect(agent.runtime.openConnections()).toBe(0);
  });

  it('cuts a request that does not end in time', async () => {
    const held = hold();
    const agent = await startShopAgent(withLabel('stuck', held));
    const inFlight = call(agent, '/orders?fields[orders]=label&page[size]=2').catch((error: unknown) => error);
    await held.entered.promise;
    await agent.runtime.stop(50);
    expect(await inFlight).toBeInstanceOf(Error);
    held.release.resolve();
  });
});

describe('actions', () => {
  const customize = (shop: Agent) => {
    shop.customizeCollection('orders', (orders) =>
      orders
        .addAction('Mark as Paid!', {
          scope: 'Bulk',
          execute: async (context, result) => {
            const records = await context.getRecords(['ref', 'status']);
            const ids = await context.getRecordIds();
            const refs = records.map((record) => record['ref']).join();
            return result.success(`${refs} ${ids.join()} ${context.formValues['Reason']}`, { invalidated: ['lines'] });
          },
        })
        .addAction('Refuse', {
          scope: 'Single',
          execute: async (context, result) => {
            const { ref } = await context.getRecord(['ref']);
            return result.setHeader('X-Reason', 'late').error(`${ref} is late`);
          },
        })
        .addAction('Call', { scope: 'Global', execute: (_context, result) => result.webhook('https://example.test') })
        .addAction('Nothing', { scope: 'Global', execute: () => undefined })
        .addAction('Break', {
          scope: 'Global',
          execute: () => {
            throw new Error('password=hunter2');
          },
        }),
    );
  };
  const act = (attributes: unknown) => ({ method: 'POST', body: { data: { attributes } } });

  it('runs on the selected records and answers with what the handler built', async () => {
    const agent = await startShopAgent(customize);
    const bulk = await call(
      agent,
      '/_actions/orders/0/mark-as-paid-',
      act({ ids: ['1', '4'], values: { Reason: 'due' } }),
    );
    expect(bulk.json).toEqual({ success: 'A-1,A-4 1,4 due', refresh: { relationships: ['lines'] } });
    const single = await call(agent, '/_actions/orders/1/refuse', act({ ids: ['2'] }));
    expect([single.status, single.headers.get('x-reason'), single.json]).toEqual([
      400,
      'late',
      { error: 'A-2 is late' },
    ]);
    const global = await call(agent, '/_actions/orders/2/call', act({}));
    expect(global.json).toEqual({ webhook: { url: 'https://example.test', method: 'POST', headers: {}, body: {} } });
    const nothing = await call(agent, '/_actions/orders/3/nothing', act({ values: null }));
    expect(nothing.json).toEqual({ success: 'Success', refresh: { relationships: [] } });
  });

  it('refuses what it cannot run as it was asked to', async () => {
    const agent = await startShopAgent(customize);
    const status = async (target: string, attributes: unknown) => (await call(agent, target, act(attributes))).status;
    expect(await status('/_actions/orders/1/refuse', { ids: ['1', '2'] })).toBe(400);
    expect(await status('/_actions/orders/1/refuse', {})).toBe(400);
    expect(await status('/_actions/orders/1/refuse', { ids: ['99'] })).toBe(400);
    expect(await status('/_actions/orders/2/call', { requester_id: 1 })).toBe(422);
    expect(await status('/_actions/orders/2/call', { signed_approval_request: 'x.y.z' })).toBe(422);
    expect(await status('/_actions/orders/0/refuse', { ids: ['1'] })).toBe(404);
    const untimed = await call(agent, '/_actions/orders/2/call', { ...act({}), timezone: null });
    expect(untimed.status).toBe(400);
  });

  it('tells the client nothing of what a handler threw', async () => {
    const agent = await startShopAgent(customize);
    const { status, text } = await call(agent, '/_actions/orders/4/break', act({}));
    expect(status).toBe(500);
    expect(text).not.toContain('hunter2');
    expect(agent.log.join()).toContain('hunter2');
  });
});
