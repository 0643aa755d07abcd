import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Agent, createSqlDataSource, type DataSourceFactory } from '#runtime/index';
import { platformOfRole } from '../helpers/role-platform.ts';
import { call, createShopFile, identity, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const errorNamed = (name: string, status: number) => ({ errors: [expect.objectContaining({ name, status })] });
const idsOf = (json: unknown) => (json as { data: { id: string }[] }).data.map(({ id }) => id);

describe('the REST API of an agent', () => {
  it('writes links below the configured prefix', async () => {
    const agent = await startShopAgent(undefined, { prefix: '/admin/api' });
    const { json } = await call(agent, '/orders/1?fields[orders]=ref,customer&fields[customer]=name');
    expect(json).toMatchObject({
      data: { relationships: { lines: { links: { related: { href: '/admin/api/orders/1/relationships/lines' } } } } },
      included: [
        { relationships: { orders: { links: { related: { href: '/admin/api/customers/1/relationships/orders' } } } } },
      ],
    });
  });

  it('needs no prefix', async () => {
    const agent = await startShopAgent(undefined, { prefix: '' });
    expect((await call(agent, '/', { token: null })).json).toMatchObject({ message: 'Agent is running' });
    const { json } = await call(agent, '/customers/1?fields[customers]=name');
    expect(json).toMatchObject({
      data: { relationships: { orders: { links: { related: { href: '/customers/1/relationships/orders' } } } } },
    });
    const unknown = await call(agent, '/elsewhere');
    expect([unknown.status, unknown.text]).toEqual([404, 'Not Found']);
  });

  it('names the nearest collection for a name that does not exist', async () => {
    const agent = await startShopAgent();
    const misspelt = await call(agent, '/custmers/1');
    expect(misspelt.status).toBe(404);
    expect(misspelt.json).toMatchObject({
      errors: [{ detail: 'There is no collection "custmers". Did you mean "customers"?', code: 'REQUEST_NOT_FOUND' }],
    });
    const unknown = await call(agent, '/zzzzzzzzzzzz/1');
    expect([unknown.status, unknown.text]).toEqual([404, 'Not Found']);
  });

  it.each([
    ['nmae', 'Use "name".'],
    ['zzzzzzzz', 'Use one of its fields: id, name, country.'],
  ])('says what to name in place of the field %s, which is not there', async (field, nextStep) => {
    const agent = await startShopAgent();
    const { status, json } = await call(agent, `/customers?fields[customers]=${field}`);
    expect(status).toBe(400);
    expect(json).toMatchObject({ errors: [{ code: 'REQUEST_INVALID', nextSteps: [nextStep] }] });
  });

  it('names no fields of a collection that the caller may not see', async () => {
    const rights = { orders: { browseEnabled: true, readEnabled: true } };
    const agent = await startShopAgent(undefined, { platform: platformOfRole({ rights }) });
    const own = await call(agent, '/customers?fields[customers]=zzzzzzzz');
    expect([own.status, own.text]).toEqual([403, expect.not.stringContaining('name,')]);
    const linked = await call(agent, '/orders?fields[orders]=customer&fields[customer]=zzzzzzzz');
    expect(linked.json).toMatchObject({ errors: [{ nextSteps: ['Use one of the fields of the schema.'] }] });
  });

  it('answers 404 to what is not below its prefix', async () => {
    const agent = await startShopAgent();
    const outside = await fetch(new URL('/elsewhere', agent.agentUrl));
    expect(outside.status).toBe(404);
  });

  it('answers a preflight of any origin without a token and without credentials', async () => {
    const agent = await startShopAgent(undefined, { allowedOrigins: ['https://app.example'] });
    const preflight = (origin: string) =>
      call(agent, '/orders', {
        method: 'OPTIONS',
        token: null,
        headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
      });
    const foreign = await preflight('https://evil.example');
    expect(foreign.status).toBe(204);
    expect(foreign.headers.get('access-control-allow-origin')).toBe('https://evil.example');
    expect(foreign.headers.get('access-control-max-age')).toBe('86400');
    expect(foreign.headers.get('access-control-allow-headers')).toBe('authorization');
    expect(foreign.headers.get('access-control-allow-credentials')).toBeNull();
    const own = await preflight('https://app.example');
    expect(own.headers.get('access-control-allow-credentials')).toBe('true');
    expect((await call(agent, '/orders', { method: 'OPTIONS', token: null })).status).toBe(401);
  });

  it('takes the session cookie before a bearer token, but not from a foreign page', async () => {
    const agent = await startShopAgent(undefined, { allowedOrigins: ['https://app.example'] });
    const headers = { cookie: `other=1; service_session_token=${agent.token}` };
    expect((await call(agent, '/orders', { token: 'broken', headers })).status).toBe(200);
    const fromApp = { ...headers, origin: 'https://app.example' };
    expect((await call(agent, '/orders', { token: null, headers: fromApp })).status).toBe(200);
    const fromElsewhere = { ...headers, origin: 'https://evil.example' };
    expect((await call(agent, '/orders', { token: null, headers: fromElsewhere })).status).toBe(401);
  });

  it('marks the attributes that hold a term of the search: those named, and none for what is negated', async () => {
    const agent = await startShopAgent();
    const marksOf = async (search: string) => {
      const { json } = await call(agent, `/orders?${new URLSearchParams({ search, sort: 'id' })}`);
      const { data, meta } = json as { data: { id: string }[]; meta?: { decorators: Record<string, unknown> } };
      return [data.map(({ id }) => id), meta && Object.values(meta.decorators)];
    };
    expect(await marksOf('paid a-')).toEqual([
      ['1', '4'],
      [
        { id: '1', search: ['ref', 'status'] },
        { id: '4', search: ['ref', 'status'] },
      ],
    ]);
    expect(await marksOf('Status:PAID -ref:a-4')).toEqual([['1'], [{ id: '1', search: ['status'] }]]);
    expect(await marksOf('-paid ref:"a-2"')).toEqual([['2'], [{ id: '2', search: ['ref'] }]]);
    expect(await marksOf('customer.name:zed')).toEqual([['1', '2'], undefined]);
  });

  it('marks only what the condition of a replaced search looks at', async () => {
    const agent = await startShopAgent((agent: Agent) =>
      agent.customizeCollection('orders', (orders) =>
        orders
          .renameField('ref', 'reference')
          .replaceSearch((text) =>
            text === 'all'
              ? { field: 'id', operator: 'Present' }
              : { field: 'ref', operator: 'IContains', value: text },
          ),
      ),
    );
    const marksOf = async (search: string, more = {}) => {
      const { json } = await call(agent, `/orders?${new URLSearchParams({ search, sort: 'id', ...more })}`);
      const { data, meta } = json as { data: { id: string }[]; meta?: { decorators?: Record<string, unknown> } };
      return [data.map(({ id }) => id), meta?.decorators && Object.values(meta.decorators)];
    };
    expect((await marksOf('all'))[1]).toBeUndefined();
    // The status of some orders, "paid", holds the text too.
    const [ids, marks] = await marksOf('a');
    expect(marks).toEqual((ids as string[]).map((id) => ({ id, search: ['reference'] })));
    expect(marks).not.toEqual([]);
    expect(await marksOf('a', { 'page[after]': '' })).toEqual([ids, marks]);
  });

  it('refuses unknown attributes and relationships, wrong types and what the database refuses', async () => {
    const agent = await startShopAgent();
    const post = (data: unknown) => call(agent, '/orders', { method: 'POST', body: { data } });
    expect((await post({ attributes: { reff: 'x' } })).json).toEqual(errorNamed('MissingFieldError', 400));
    expect((await post({ attributes: { ref: 'x' }, relationships: { nope: { data: null } } })).status).toBe(400);
    expect((await post({ attributes: { ref: 12 } })).json).toEqual(errorNamed('ValidationError', 400));
    expect((await post({ attributes: { ref: 'A-1' } })).json).toEqual(errorNamed('ValidationError', 400));
    expect((await call(agent, '/orders', { method: 'POST', body: {} })).status).toBe(400);
    expect(JSON.stringify((await post({ attributes: { ref: 'A-1' } })).json)).not.toMatch(/INSERT|SQLITE|\.ts/i);
  });

  it('takes ids of more digits than a number holds for themselves, and for no neighbour', async () => {
    const tables = 'create table ledger (id integer primary key, n integer); insert into ledger values ';
    const agent = await startShopAgent(undefined, {}, `${tables}(9007199254740992, 1), (9007199254740993, 2);`);
    const body = { data: { attributes: { n: 3 } } };
    const updated = await call(agent, '/ledger/9007199254740993', { method: 'PUT', body });
    expect(updated.json).toMatchObject({ data: { id: '9007199254740993', attributes: { n: 3 } } });
    await call(agent, '/ledger/9007199254740993', { method: 'DELETE' });
    expect((await call(agent, '/ledger')).json).toMatchObject({
      data: [{ id: '9007199254740992', attributes: { n: 1 } }],
    });
  });

  it('refuses JSON that is nested without end, in a body and in a text of it', async () => {
    const agent = await startShopAgent(undefined, {}, 'create table notes (id integer primary key, data json);');
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const post = (target: string, body: unknown) => call(agent, target, { method: 'POST', body });
    expect((await post('/notes', `{"data":{"attributes":{"data":${deep}}}}`)).status).toBe(400);
    const filter = `{"field":"id","operator":"equal","value":${deep}}`;
    expect((await post('/stats/orders', { type: 'Value', aggregator: 'Count', filter })).status).toBe(400);
    expect(agent.log).toEqual([]);
  });

  it('refuses members of a body that change what objects are, in words', async () => {
    const agent = await startShopAgent();
    for (const body of ['{"data":{"attributes":{"__proto__":"x"}}}', '{"data":{"constructor":{"prototype":{}}}}']) {
      const { status, json } = await call(agent, '/customers', { method: 'POST', body });
      expect(status).toBe(400);
      const error = { code: 'REQUEST_INVALID', detail: expect.stringContaining('"__proto__"') };
      expect(json).toMatchObject({ errors: [error] });
    }
  });

  it.each(['data[attributes][status]=draft', 'data.attributes.status=draft&data.id=1'])(
    'reads a body as form data: %s',
    async (body) => {
      const agent = await startShopAgent();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const { status, json } = await call(agent, '/orders/1', { method: 'PUT', body, headers });
      expect(status).toBe(200);
      expect(json).toMatchObject({ data: { id: '1', attributes: { status: 'draft' } } });
    },
  );

  it('passes over members of a form that change what objects are', async () => {
    const agent = await startShopAgent();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'data[attributes][status]=draft&__proto__[polluted]=1&data[constructor][prototype][polluted]=1';
    expect((await call(agent, '/orders/1', { method: 'PUT', body, headers })).status).toBe(200);
    expect('polluted' in {}).toBe(false);
  });

  it('updates the attributes that are given and ignores the relationships beside them', async () => {
    const agent = await startShopAgent();
    const body = {
      data: { id: '1', attributes: { status: 'draft' }, relationships: { customer: { data: { id: '2' } } } },
    };
    const { status, json } = await call(agent, '/orders/1', { method: 'PUT', body });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      data: { attributes: { status: 'draft' }, relationships: { customer: { data: { id: '1' } } } },
    });
    const missing = await call(agent, '/orders/99', {
      method: 'PUT',
      body: { data: { attributes: { status: 'paid' } } },
    });
    expect([missing.status, missing.json]).toEqual([200, { jsonapi: { version: '1.0' }, data: null }]);
    for (const invalid of [{}, { data: {} }, { data: { attributes: {} } }, { data: { id: 1, attributes: {} } }]) {
      expect((await call(agent, '/orders/1', { method: 'PUT', body: invalid })).status).toBe(400);
    }
    expect(
      (await call(agent, '/orders/1', { method: 'PUT', body: { data: { id: '1', attributes: {} } } })).status,
    ).toBe(200);
  });

  it('takes selections of thousands of composite ids, and refuses more', { tags: 'long' }, async () => {
    const agent = await startShopAgent();
    const ids = Array.from({ length: 5_000 }, (_, index) => `${index + 1}|ab`);
    const tooMany = [...ids, '5001|ab'];
    const remove = (attributes: unknown) => call(agent, '/lines', { method: 'DELETE', body: { data: { attributes } } });
    const count = async () => (await call(agent, '/lines/count')).json;
    expect((await remove({ all_records: true, all_records_ids_excluded: ids })).status).toBe(204);
    expect(await count()).toEqual({ count: 2 });
    expect((await remove({ ids })).status).toBe(204);
    expect(await count()).toEqual({ count: 0 });
    for (const refused of [{ ids: tooMany }, { all_records: true, all_records_ids_excluded: tooMany }]) {
      const { status, text } = await remove(refused);
      expect([status, text]).toEqual([422, expect.stringContaining('more than 5000 records')]);
    }
  });

  it('deletes what a selection names, and nothing beside it', async () => {
    const agent = await startShopAgent();
    const remove = (target: string, attributes: unknown) =>
      call(agent, target, { method: 'DELETE', body: { data: { attributes } } });
    const count = async (collection: string) => (await call(agent, `/${collection}/count`)).json;
    expect((await remove('/lines', { all_records: true })).status).toBe(400);
    expect((await remove('/lines', { ids: [4] })).status).toBe(400);
    expect((await remove('/lines', {})).status).toBe(400);
    expect((await remove('/lines', { ids: [] })).status).toBe(204);
    const everything = { all_records: true, all_records_ids_excluded: [] };
    for (const parent of [{}, { parent_collection_name: 'customers' }, { parent_collection_name: 'nowhere' }]) {
      const nonsense = { ...everything, ...parent, parent_collection_id: '1', parent_association_name: 'lines' };
      expect((await remove('/lines', nonsense)).status).toBe(400);
    }
    expect(await count('lines')).toEqual({ count: 3 });
    expect((await remove('/lines', { all_records: true, all_records_ids_excluded: ['4|ab'] })).status).toBe(204);
    expect(await count('lines')).toEqual({ count: 1 });
    const paid = JSON.stringify({ field: 'status', operator: 'equal', value: 'draft' });
    const subset = {
      all_records: true,
      all_records_ids_excluded: ['2'],
      all_records_subset_query: { filters: paid, search: 'a-' },
    };
    expect((await remove('/orders', subset)).status).toBe(204);
    expect(idsOf((await call(agent, '/orders?sort=id')).json)).toEqual(['1', '2', '4']);
  });

  it('deletes all that a relation leads to from one record, and nothing beside it', async () => {
    const agent = await startShopAgent();
    const attributes = {
      all_records: true,
      all_records_ids_excluded: ['1'],
      parent_collection_name: 'customers',
      parent_collection_id: '1',
      parent_association_name: 'orders',
    };
    const before = idsOf((await call(agent, '/orders?sort=id')).json);
    const below = idsOf((await call(agent, '/customers/1/relationships/orders?sort=id')).json);
    expect(below.length).toBeGreaterThan(1);
    expect((await call(agent, '/orders', { method: 'DELETE', body: { data: { attributes } } })).status).toBe(204);
    const gone = below.filter((id) => id !== '1');
    expect(idsOf((await call(agent, '/orders?sort=id')).json)).toEqual(before.filter((id) => !gone.includes(id)));
  });

  it('gives records of a table without a key the address of their row', async () => {
    const agent = await startShopAgent();
    const { status, json } = await call(agent, '/events');
    expect([status, json]).toMatchObject([200, { data: [{ id: '1', attributes: { text: 'opened' } }] }]);
    expect((await call(agent, '/events/1')).json).toMatchObject({ data: { id: '1' } });
    expect((await call(agent, '/events/1', { method: 'DELETE' })).status).toBe(422);
    expect((await call(agent, '/events/count')).json).toEqual({ count: 1 });
  });

  it('serves computed fields and segments', async () => {
    const agent = await startShopAgent((shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders
          .addField('label', {
            columnType: 'String',
            dependencies: ['ref', 'status'],
            getValues: (records) => records.map((order) => `${order['ref']} ${order['status']}`),
          })
          .addSegment('paid', { field: 'status', operator: 'Equal', value: 'paid' }),
      );
    });
    const { json } = await call(agent, '/orders?segment=paid&sort=id&fields[orders]=label');
    expect(json).toMatchObject({
      data: [{ attributes: { label: 'A-1 paid' } }, { attributes: { label: 'A-4 paid' } }],
    });
  });

  it('hides what a handler throws from the client, but logs it', async () => {
    const agent = await startShopAgent((shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders.addField('fragile', {
          columnType: 'String',
          dependencies: ['id'],
          getValues: (records) =>
            records.map(({ id }) => {
              if (id === 3) throw new Error('SELECT secret FROM vault');
              return 'fine';
            }),
        }),
      );
    });
    expect((await call(agent, '/orders/1?fields[orders]=fragile')).status).toBe(200);
    const { status, text, json } = await call(agent, '/orders/3?fields[orders]=fragile');
    expect(status).toBe(500);
    expect(json).toMatchObject({ errors: [{ code: 'CUSTOMIZATION_FAILED', detail: 'Unexpected error' }] });
    expect(text).not.toContain('secret');
    expect(agent.log.join('\n')).toContain('SELECT secret FROM vault');
  });
});

describe('every answer of the REST API', () => {
  it('carries a correlation id of its own in the order of time, whatever became of the request', async () => {
    const agent = await startShopAgent();
    const answers = [
      await call(agent, '/'),
      await call(agent, '/orders', { token: null }),
      await call(agent, '/nope'),
      await call(agent, '/orders/99'),
      await call(agent, '/orders', { method: 'POST', body: '{' }),
      await call(agent, '/orders/3', { method: 'DELETE' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 404, 400, 204]);
    const ids = answers.map(({ headers }) => headers.get('x-service-correlation-id'));
    expect(new Set(ids).size).toBe(answers.length);
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}$/.test(id ?? ''))).toBe(true);
    // Random digits follow the millisecond.
    const moments = ids.map((id) => id?.slice(0, 13));
    expect(moments.toSorted()).toEqual(moments);
  });
});

describe('a client that goes away', () => {
  /** A shop whose queries, once `isHeld`, last until their signal is aborted. */
  async function startHeldAgent() {
    const uri = await createShopFile();
    const queried = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const hold = { isHeld: false };
    const main: DataSourceFactory = async () => {
      // Without prepared lists, every list comes through the function below.
      const { prepareList: _prepared, ...source } = await createSqlDataSource(uri)();
      return {
        ...source,
        list: async (query, context) => {
          if (!hold.isHeld || !context.signal) return source.list(query, context);
          queried.resolve();
          await once(context.signal, 'abort');
          aborted.resolve();
          return [];
        },
      };
    };
    const agent = await startShopAgent(undefined, { dataSources: { main } });
    return { agent, hold, queried: queried.promise, aborted: aborted.promise };
  }

  it('ends its query, over REST and over MCP', async () => {
    const list = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list', arguments: { collectionName: 'orders' } },
    };
    const requests = {
      rest: (agent: ShopAgent, signal: AbortSignal) =>
        fetch(`${agent.agentUrl}/orders?timezone=UTC`, { signal, headers: { authorization: `Bearer ${agent.token}` } }),
      mcp: (agent: ShopAgent, signal: AbortSignal) =>
        fetch(agent.mcpUrl, {
          method: 'POST',
          signal,
          headers: {
            authorization: `Bearer ${agent.mcpToken}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify(list),
        }),
    };
    for (const request of Object.values(requests)) {
      const { agent, hold, queried, aborted } = await startHeldAgent();
      hold.isHeld = true;
      const client = new AbortController();
      const answer = request(agent, client.signal).then((response) => response.text());
      await queried;
      client.abort();
      await expect(answer).rejects.toThrow();
      await aborted;
    }
  });
});

describe('a view of the project that has changed', () => {
  it('is looked up again once a client says so', async () => {
    let scope: unknown = null;
    const rights = { orders: { browseEnabled: true } };
    const platform = {
      ...platformOfRole({ rights }),
      renderingPermissions: (id: number) =>
        platformOfRole({ rights, scopes: { orders: scope } }).renderingPermissions(id),
    };
    const agent = await startShopAgent(undefined, { platform });
    const count = async () => (await call(agent, '/orders/count')).json;
    expect(await count()).toEqual({ count: 4 });
    scope = { field: 'id', operator: 'equal', value: 1 };
    expect(await count()).toEqual({ count: 4 });
    const invalidate = (renderingId: unknown) =>
      call(agent, '/scope-cache-invalidation', { method: 'POST', body: { renderingId }, timezone: null });
    const { status, text } = await invalidate(String(identity.renderingId));
    expect([status, text]).toEqual([204, '']);
    expect(await count()).toEqual({ count: 1 });
    expect((await invalidate('x')).status).toBe(400);
  });
});

describe('tokens of the REST API', () => {
  it('refuses a token that was made for the MCP server', async () => {
    const agent = await startShopAgent();
    expect((await call(agent, '/orders', { token: agent.mcpToken })).status).toBe(401);
  });
});
