import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/index';
import { platformOfRole } from '../../helpers/role-platform.ts';
import { call, type ShopAgent, startShopAgent } from '../../helpers/shop-agent.ts';

interface Answer {
  readonly meta: Readonly<Record<string, unknown>>;
  readonly errors: readonly { line: number | null; field: string | null; code: string; detail: string }[];
}

async function importInto(agent: ShopAgent, target: string, body: object) {
  const { status, json } = await call(agent, `/_internal/import/${target}`, { method: 'POST', body });
  return { status, ...(json as Answer) };
}

const refsIn = async (agent: ShopAgent) => {
  const { json } = await call(agent, '/orders?fields[orders]=ref&sort=id&page[size]=100');
  return (json as { data: { attributes: { ref: string } }[] }).data.map(({ attributes }) => attributes.ref);
};

const shopRefs = ['A-1', 'A-2', 'A-3', 'A-4'];
const placesOf = ({ errors }: Answer) => errors.map(({ line, field }) => [line, field]);
const filed = (...refs: string[]) => refs.map((ref, index) => ({ line: index + 2, values: { ref } }));

describe('an import by parts', () => {
  it('creates what can be created, and says of each other record what is wrong, by line and field', async () => {
    const agent = await startShopAgent();
    const answer = await importInto(agent, 'orders', {
      mode: 'parts',
      records: [
        { line: 2, values: { ref: 'B-1', total: '12.50' }, links: { customer: '2' } },
        { line: 3, values: { ref: 'B-2', status: 'lost', total: 'x', nope: 1 } },
        { line: 4, values: { ref: 'A-1' } },
        { line: 5, values: { ref: 'B-3' }, links: { customer: null } },
        { line: 6, values: { ref: 'B-4' }, links: { customer: 'x' } },
      ],
    });
    expect(answer).toMatchObject({
      status: 200,
      meta: { dryRun: false, created: 2, failed: 3, untried: 0, hiddenErrors: 0 },
    });
    expect(placesOf(answer)).toEqual([
      [3, 'status'],
      [3, 'total'],
      [3, 'nope'],
      [4, 'ref'],
      [6, null],
    ]);
    expect(answer.errors.find(({ line }) => line === 4)?.code).toBe('DATABASE_CONSTRAINT_VIOLATED');
    expect(JSON.stringify(answer)).not.toMatch(/insert|sqlite/i);
    expect(await refsIn(agent)).toEqual([...shopRefs, 'B-1', 'B-3']);
    const { json } = await call(agent, '/orders?filters={"field":"ref","operator":"in","value":["B-1","B-3"]}&sort=id');
    expect(json).toMatchObject({ data: [{ attributes: { customer_id: 2, total: '12.50' } }, {}] });
    expect(answer.meta['ids']).toEqual((json as { data: { id: string }[] }).data.map(({ id }) => id));
  });

  it('answers at half of the time that a request has, and says how far it got', async () => {
    const customize = (shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders.addHook('Before', 'Create', () => new Promise((resolve) => setTimeout(resolve, 50))),
      );
    const agent = await startShopAgent(customize, { limits: { requestTimeoutMs: 2_000 } });
    const refs = Array.from({ length: 100 }, (_, index) => `B-${index + 1}`);
    const answer = await importInto(agent, 'orders', { mode: 'parts', records: filed(...refs) });
    const created = Number(answer.meta['created']);
    expect(answer).toMatchObject({
      status: 200,
      meta: { timeUp: true, failed: 0, untried: 100 - created },
      errors: [],
    });
    expect(await refsIn(agent)).toEqual([...shopRefs, ...refs.slice(0, created)]);
    expect(created).toBeGreaterThan(0);
    expect(created).toBeLessThan(100);
  });

  it('goes on behind a hook that throws, whose words stay in the log', async () => {
    const agent = await startShopAgent((shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders.addHook('Before', 'Create', ({ data }) => {
          if (data.some(({ ref }) => ref === 'B-1')) throw new Error('a secret of the hook');
        }),
      ),
    );
    const answer = await importInto(agent, 'orders', { mode: 'parts', records: filed('B-1', 'B-2') });
    expect(answer).toMatchObject({ status: 200, meta: { created: 1, failed: 1 }, errors: [{ line: 2 }] });
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(agent.log.join()).toContain('a secret of the hook');
    expect(await refsIn(agent)).toEqual([...shopRefs, 'B-2']);
  });

  it('has a record for each row of a CSV file, whose texts become what the columns take', async () => {
    const agent = await startShopAgent(
      undefined,
      {},
      "CREATE TABLE kinds (id INTEGER PRIMARY KEY, text TEXT, wanted TEXT NOT NULL DEFAULT 'd', flag BOOLEAN, data BLOB, json JSON);",
    );
    const row = { text: '', wanted: '', flag: 'TRUE', data: 'aGk=', json: '{"a":"x,]"}' };
    const wrong = { text: 'a', wanted: 'b', flag: 'maybe', data: '?', json: '{' };
    const answer = await importInto(agent, 'kinds', {
      mode: 'parts',
      format: 'csv',
      records: [{ values: row }, { values: wrong }],
    });
    expect(placesOf(answer)).toEqual([
      [2, 'flag'],
      [2, 'data'],
      [2, 'json'],
    ]);
    const { json } = await call(agent, '/kinds/1');
    expect(json).toMatchObject({
      data: {
        attributes: {
          text: null,
          wanted: '',
          flag: true,
          data: 'data:application/octet-stream;base64,aGk=',
          json: { a: 'x,]' },
        },
      },
    });
  });
});

describe('an import of all or none', () => {
  it('writes nothing where a record is wrong, or where the database refuses one', async () => {
    const agent = await startShopAgent();
    const wrong = { line: 9, values: { status: 'lost' } };
    const checked = await importInto(agent, 'orders', { mode: 'all', records: [...filed('B-1', 'B-2'), wrong] });
    expect(checked).toMatchObject({ status: 400, meta: { created: 0, failed: 1, untried: 2 } });
    expect(placesOf(checked)).toEqual([[9, 'status']]);
    const refused = await importInto(agent, 'orders', { mode: 'all', records: filed('B-1', 'A-1', 'B-2') });
    expect([refused.status, placesOf(refused)]).toEqual([400, [[3, 'ref']]]);
    expect(await refsIn(agent)).toEqual(shopRefs);
    expect(await importInto(agent, 'orders', { mode: 'all', records: filed('B-1', 'B-2') })).toMatchObject({
      status: 200,
      meta: { created: 2, failed: 0 },
      errors: [],
    });
    expect(await refsIn(agent)).toEqual([...shopRefs, 'B-1', 'B-2']);
  });

  it('is refused before anything is written where nothing can be taken back', async () => {
    const agent = await startShopAgent((shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders.overrideCreate(async ({ data }) => data.map(() => ({ id: 1 }))),
      ),
    );
    for (const dryRun of ['', '?dryRun=true']) {
      const answer = await importInto(agent, `orders${dryRun}`, { mode: 'all', records: filed('B-1') });
      expect([answer.status, answer.errors[0]?.detail]).toEqual([422, expect.stringContaining('code of the agent')]);
    }
    const answer = await importInto(agent, 'orders', { mode: 'parts', records: filed('B-1') });
    expect([answer.status, answer.meta['created']]).toEqual([200, 1]);
  });
});

describe('an import', () => {
  it('finds the same in a dry run, and writes nothing', async () => {
    const agent = await startShopAgent();
    const records = [{ values: { ref: 'B-1', status: 'lost' } }, { values: { total: 1 } }, { values: { ref: 'B-3' } }];
    for (const mode of ['all', 'parts']) {
      const answer = await importInto(agent, 'orders?dryRun=true', { mode, records });
      expect(answer).toMatchObject({
        status: 200,
        meta: { dryRun: true, created: 1, failed: 2, untried: 0, missing: ['ref'] },
        errors: [
          { line: 1, field: 'status' },
          { line: 2, field: 'ref' },
        ],
      });
    }
    expect(await refsIn(agent)).toEqual(shopRefs);
  });

  it('knows keys that are taken in a dry run, and foreign keys that lead nowhere', async () => {
    const agent = await startShopAgent();
    const records = [
      { line: 2, values: { id: 9, ref: 'B-1', customer_id: 1 } },
      { line: 3, values: { id: 1, ref: 'B-2' } },
      { line: 4, values: { id: 9, ref: 'B-3' } },
      { line: 5, values: { ref: 'B-4', customer_id: 77 } },
      { line: 6, values: { ref: 'B-5' }, links: { customer: '78' } },
      { line: 7, values: { id: 10, ref: 'B-6' }, links: { customer: '2' } },
    ];
    const wrong = [
      [3, 'id'],
      [4, 'id'],
      [5, 'customer_id'],
      [6, 'customer_id'],
    ];
    const checked = await importInto(agent, 'orders?dryRun=true', { mode: 'parts', records });
    expect(checked.meta).toMatchObject({ created: 2, failed: 4 });
    expect(placesOf(checked)).toEqual(wrong);
    expect(checked.errors[1]?.detail).toContain('is the key of line 2 too');
    const lines = [
      { values: { order_id: 4, sku: 'ab', quantity: 1 } },
      { values: { order_id: 4, sku: 'cd', quantity: 1 } },
    ];
    const composite = await importInto(agent, 'lines?dryRun=true', { mode: 'parts', records: lines });
    expect(placesOf(composite)).toEqual([[1, 'order_id']]);
    const written = await importInto(agent, 'orders', { mode: 'parts', records });
    expect(written.errors.map(({ line }) => line)).toEqual(wrong.map(([line]) => line));
  });

  it('knows unique values, keys of several columns and keys to the same table in a dry run', async () => {
    const agent = await startShopAgent(
      undefined,
      {},
      `CREATE TABLE rooms (house INTEGER, number INTEGER, name TEXT UNIQUE, PRIMARY KEY (house, number));
       CREATE TABLE beds (id INTEGER PRIMARY KEY, house INTEGER, number INTEGER, FOREIGN KEY (house, number) REFERENCES rooms (house, number));
       CREATE TABLE parts (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES parts(id));
       INSERT INTO rooms VALUES (1, 1, 'red'); INSERT INTO parts VALUES (1, NULL);`,
    );
    const foreseen = async (target: string, rows: readonly object[]) => {
      const body = { mode: 'parts', records: rows.map((values) => ({ values })) };
      const checked = placesOf(await importInto(agent, `${target}?dryRun=true`, body));
      const written = await importInto(agent, target, body);
      expect(written.errors.map(({ line }) => line)).toEqual(checked.map(([line]) => line));
      return checked;
    };
    expect(
      await foreseen('rooms', [
        { house: 1, number: 1, name: 'blue' },
        { house: 1, number: 2, name: 'red' },
        { house: 1, number: 3, name: 'green' },
        { house: 1, number: 4, name: 'green' },
        { house: 1, number: 5 },
        { house: 1, number: 6 },
      ]),
    ).toEqual([
      [1, 'house'],
      [2, 'name'],
      [4, 'name'],
    ]);
    expect(
      await foreseen('beds', [
        { house: 1, number: 3 },
        { house: 3, number: 1 },
        { house: 9 },
        { house: null, number: 9 },
      ]),
    ).toEqual([[2, 'house']]);
    expect(
      await foreseen('parts', [
        { id: 5, parent_id: 1 },
        { id: 6, parent_id: 5 },
        { id: 7, parent_id: 7 },
        { id: 8, parent_id: 9 },
        { id: 9, parent_id: 1 },
        { id: 10, parent_id: 77 },
      ]),
    ).toEqual([
      [4, 'parent_id'],
      [6, 'parent_id'],
    ]);
  });

  it('links records by their titles, which an export has, and says where a title names none or several', async () => {
    const agent = await startShopAgent();
    const { text: exported } = await call(
      agent,
      `/orders.csv?fields[orders]=ref,total,customer&fields[customer]=name&header=${encodeURIComponent('["ref","total","customer:name"]')}`,
    );
    const [, ...lines] = exported.trim().split('\n');
    const records = lines.map((line, index) => {
      const [ref = '', total = '', customer = ''] = line.split(',');
      return { line: index + 2, values: { ref: `${ref}-again`, total }, titles: { customer } };
    });
    const answer = await importInto(agent, 'orders', { mode: 'all', format: 'csv', records });
    expect(answer).toMatchObject({ status: 200, meta: { created: 4 }, errors: [] });
    const { json } = await call(agent, '/orders?fields[orders]=ref,total,customer_id&sort=id&page[size]=100');
    const rows = (json as { data: { attributes: Record<string, unknown> }[] }).data.map(({ attributes }) => attributes);
    const plain = rows.map(({ ref, total, customer_id: customer }) => [
      String(ref).replace('-again', ''),
      total,
      customer,
    ]);
    expect(plain.slice(4)).toEqual(plain.slice(0, 4));

    await call(agent, '/customers', { method: 'POST', body: { data: { attributes: { name: 'Zed' } } } });
    const wrong = [
      { line: 2, values: { ref: 'B-1' }, titles: { customer: 'Zed' } },
      { line: 3, values: { ref: 'B-2' }, titles: { customer: 'Nobody' } },
      { line: 4, values: { ref: 'B-3' }, titles: { nope: 'x' } },
      { line: 5, values: { ref: 'B-4' }, titles: { customer: null } },
    ];
    for (const dryRun of ['?dryRun=true', '']) {
      const checked = await importInto(agent, `orders${dryRun}`, { mode: 'parts', records: wrong });
      expect(checked.errors.map(({ line, detail }) => [line, detail])).toEqual([
        [2, 'The field "customer" names several records of "customers" by their "name".'],
        [3, 'The field "customer" names no record of "customers" by its "name".'],
        [4, '"orders" has no relation "nope".'],
      ]);
      expect(checked.meta['created']).toBe(1);
    }
    const rights = { browseEnabled: true, readEnabled: true, addEnabled: true };
    const stranger = await startShopAgent(undefined, { platform: platformOfRole({ rights: { orders: rights } }) });
    const refused = await importInto(stranger, 'orders', { mode: 'parts', records: wrong.slice(0, 1) });
    expect(refused.status).toBe(403);
  });

  it('tells nobody in a dry run of records that they may not see, and leaves to code what code fills', async () => {
    const rights = { browseEnabled: true, readEnabled: true, addEnabled: true };
    const records = [{ values: { id: 1, ref: 'B-1', status: 'draft', customer_id: 77 } }];
    const body = { mode: 'parts', records };
    const ofRights = (orders: object) =>
      startShopAgent(undefined, { platform: platformOfRole({ rights: { orders }, scopes: {} }) });
    const stranger = await ofRights({ addEnabled: true });
    expect((await importInto(stranger, 'orders?dryRun=true', body)).meta).toMatchObject({ created: 1, failed: 0 });
    const colleague = await ofRights(rights);
    expect(placesOf(await importInto(colleague, 'orders?dryRun=true', body))).toEqual([[1, 'id']]);
    const filled = await startShopAgent((shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders.addHook('Before', 'Create', ({ data }) => {
          for (const record of data) Object.assign(record, { id: null, ref: 'B-9', customer_id: 1 });
        }),
      ),
    );
    const answer = await importInto(filled, 'orders?dryRun=true', { mode: 'parts', records: [{ values: { id: 1 } }] });
    expect(answer.meta).toMatchObject({ created: 1, failed: 0, missing: ['ref'] });
  });

  it('needs the right to add, and stays within the scope of the person', async () => {
    const rights = { browseEnabled: true, readEnabled: true };
    const reader = await startShopAgent(undefined, { platform: platformOfRole({ rights: { orders: rights } }) });
    const body = { mode: 'parts', records: filed('B-1') };
    for (const dryRun of ['', '?dryRun=true']) {
      expect((await importInto(reader, `orders${dryRun}`, body)).status).toBe(403);
      expect((await importInto(reader, `orders${dryRun}`, { mode: 'wrong' })).status).toBe(403);
    }
    const scoped = await startShopAgent(undefined, {
      platform: platformOfRole({
        rights: { orders: { ...rights, addEnabled: true } },
        scopes: { orders: { field: 'status', operator: 'equal', value: 'paid' } },
      }),
    });
    const records = [{ values: { ref: 'B-1', status: 'paid' } }, { values: { ref: 'B-2', status: 'draft' } }];
    expect(await importInto(scoped, 'orders', { mode: 'parts', records })).toMatchObject({
      status: 200,
      meta: { created: 1, failed: 1 },
      errors: [{ line: 2, code: 'RECORD_OUT_OF_SCOPE' }],
    });
    expect(await importInto(scoped, 'orders', { mode: 'all', records: [{ values: { ref: 'B-3' } }] })).toMatchObject({
      status: 403,
      meta: { created: 0 },
    });
  });

  it('has bounds, and says how many errors it leaves out', async () => {
    const agent = await startShopAgent();
    const many = Array.from({ length: 5_001 }, () => ({ values: { nope: 1 } }));
    const tooMany = await importInto(agent, 'orders', { mode: 'parts', records: many });
    expect([tooMany.status, tooMany.errors[0]?.detail]).toEqual([400, expect.stringContaining('5000 are the most')]);
    const answer = await importInto(agent, 'orders', { mode: 'parts', records: many.slice(1) });
    expect(answer.meta).toMatchObject({ created: 0, failed: 5_000, hiddenErrors: 4_000 });
    expect(answer.errors).toHaveLength(1_000);
    expect(answer.errors.at(-1)?.line).toBe(1_000);
  });

  it.each([
    ['no mode', { records: [] }],
    ['an unknown format', { mode: 'all', format: 'xml', records: [] }],
    ['no records', { mode: 'all' }],
    ['a number in the place of a record', { mode: 'all', records: [1] }],
    ['a line before the first', { mode: 'all', records: [{ line: 0, values: {} }] }],
  ])('with %s is refused', async (_what, body) => {
    const { status, errors } = await importInto(await startShopAgent(), 'orders', body);
    expect([status, errors[0]?.code]).toEqual([400, 'REQUEST_INVALID']);
  });
});
