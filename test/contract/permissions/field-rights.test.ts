import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/customizer/agent';
import { createSqlDataSource } from '#runtime/index';
import type { FieldRule } from '#runtime/permissions/field-rules';
import { flattenJsonColumn } from '#runtime/plugins/flattener/flatten-fields';
import { errorOf, mcpCall } from '../../helpers/mcp-call.ts';
import type { CallOptions } from '../../helpers/rest-call.ts';
import { platformOfRole } from '../../helpers/role-platform.ts';
import {
  call,
  createShopFile,
  type ShopAgent,
  type ShopAgentOptions,
  startShopAgent,
} from '../../helpers/shop-agent.ts';

const tables = `
CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT NOT NULL, budget INTEGER);
CREATE TABLE staff (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT UNIQUE,
  iban TEXT,
  salary INTEGER NOT NULL DEFAULT 0,
  team_id INTEGER REFERENCES teams(id)
);
INSERT INTO teams VALUES (1, 'North', 100), (2, 'South', 200);
INSERT INTO staff VALUES
  (1, 'Ada', 'ada@example.test', 'DE00 1234', 5000, 1),
  (2, 'Bob', NULL, 'DE00 5678', 3000, 2),
  (3, 'Cleo', 'cleo@example.test', NULL, 9000, 1);
`;

const everything = {
  browseEnabled: true,
  readEnabled: true,
  editEnabled: true,
  addEnabled: true,
  deleteEnabled: true,
  exportEnabled: true,
};

const hidden: FieldRule = { read: false, filter: false, write: false };
const maskedBy = (read: string, write = false): FieldRule => ({ read, filter: false, write });

type Fields = Readonly<Record<string, Readonly<Record<string, FieldRule>>>>;

/** An agent whose caller may do everything with the staff and its teams, apart from what the rules say. */
async function startAgent(
  fields: Fields,
  customize: (agent: Agent) => unknown = () => undefined,
  rights: Partial<Parameters<typeof platformOfRole>[0]> = {},
  options: ShopAgentOptions = {},
): Promise<ShopAgent> {
  const collections = ['staff', 'teams', 'orders', 'customers', 'lines'];
  const platform = platformOfRole({
    rights: Object.fromEntries(collections.map((name) => [name, everything])),
    fields,
    ...rights,
  });
  return startShopAgent(customize, { platform, ...options }, tables);
}

/** Who may see every chart has no other right by that. */
const seesCharts = { permissionLevel: 'editor' } as const;

type Resource = { readonly id: string; readonly attributes: Readonly<Record<string, unknown>> };

async function attributesOf(agent: ShopAgent, target: string): Promise<readonly Resource['attributes'][]> {
  const { json } = await call(agent, target);
  return (json as { readonly data: readonly Resource[] }).data.map(({ attributes }) => attributes);
}

async function ask(agent: ShopAgent, target: string, options: CallOptions = {}) {
  const { status, text } = await call(agent, target, options);
  return { status, text };
}

const filterBy = (field: string, operator: string, value: unknown) =>
  `filters=${encodeURIComponent(JSON.stringify({ field, operator, value }))}`;

describe('a field that is hidden from a role', () => {
  it('is not there, wherever a request or an answer could name it', async () => {
    const agent = await startAgent({ staff: { salary: hidden } }, undefined, seesCharts);
    const [first] = await attributesOf(agent, '/staff');
    expect(first).toEqual({ id: 1, name: 'Ada', email: 'ada@example.test', iban: 'DE00 1234', team_id: 1 });
    expect((await call(agent, '/staff/1')).json).toMatchObject({ data: { attributes: { name: 'Ada' } } });
    const refused = await Promise.all([
      ask(agent, `/staff?${filterBy('salary', 'greater_than', 4000)}`),
      ask(agent, '/staff?sort=salary'),
      ask(agent, '/staff?fields[staff]=salary'),
      ask(agent, '/staff', { headers: { 'service-projection': 'salary' } }),
      ask(agent, '/staff/1', { headers: { 'service-projection': 'salary' } }),
      ask(agent, '/_internal/values/staff?field=salary'),
      ask(agent, '/teams/1/relationships/staff?sort=-salary'),
      ask(agent, `/teams?${filterBy('staff:salary', 'equal', 5000)}`),
      ask(agent, '/staff.csv?header=Salary', { headers: { 'service-projection': 'salary' } }),
      ask(agent, '/staff', { method: 'POST', body: { data: { attributes: { name: 'Dan', salary: 1 } } } }),
      ask(agent, '/staff/1', { method: 'PUT', body: { data: { attributes: { salary: 5000 } } } }),
      ask(agent, '/staff/1', {
        method: 'PUT',
        body: { data: { attributes: { name: 'Eve' } }, meta: { ifMatch: { salary: 5000 } } },
      }),
      ask(agent, '/stats/staff', {
        method: 'POST',
        body: { type: 'Value', aggregator: 'Sum', aggregateFieldName: 'salary' },
      }),
    ]);
    const [missing] = await Promise.all([ask(agent, '/staff?sort=salarx')]);
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400));
    // It is answered as a field that does not exist: the message names it because the request did.
    expect(refused[1]?.text.replaceAll('salary', 'salarx')).toBe(missing?.text);
    for (const { text } of refused) expect(text).not.toContain('5000');
    expect((await ask(agent, '/staff.csv?header=a,b,c,d,e')).text).toBe(
      'a,b,c,d,e\n1,Ada,ada@example.test,DE00 1234,1\n2,Bob,,DE00 5678,2\n3,Cleo,cleo@example.test,,1\n',
    );
    expect(await attributesOf(agent, '/staff?search=9000')).toEqual([]);
    expect(await attributesOf(agent, '/staff?search=salary:9000')).toEqual([]);
  });

  it('is unknown to the schema, the capabilities and the tools', async () => {
    const agent = await startAgent({ staff: { salary: hidden } });
    const schema = await ask(agent, '/_internal/schema/staff');
    const capabilities = await ask(agent, '/_internal/capabilities', {
      method: 'POST',
      body: { collectionNames: ['staff'] },
    });
    expect([schema.status, capabilities.status]).toEqual([200, 200]);
    expect(schema.text + capabilities.text).not.toContain('salary');
    const described = await mcpCall(agent, 'describeCollection', { collectionName: 'staff' });
    const listed = await mcpCall(agent, 'list', { collectionName: 'staff' });
    expect(JSON.stringify([described.result, listed.result])).not.toMatch(/salary|5000/);
    expect(JSON.stringify(listed.result)).toContain('Ada');
    const asked = await mcpCall(agent, 'list', { collectionName: 'staff', fields: ['salary'] });
    expect(errorOf(asked)['code']).toBe('REQUEST_FIELD_UNKNOWN');
  });

  it('takes the relations along that it is the key of', async () => {
    const agent = await startAgent({ staff: { team_id: hidden } });
    expect((await ask(agent, '/staff?fields[staff]=name,team&fields[team]=name')).status).toBe(400);
    expect((await ask(agent, '/teams/1/relationships/staff')).status).toBe(404);
    expect((await ask(agent, `/staff?${filterBy('team:name', 'equal', 'North')}`)).status).toBe(400);
    expect(await attributesOf(agent, '/staff?search=team.name:North')).toEqual([]);
    expect((await ask(agent, '/_internal/schema/teams')).text).not.toContain('staff');
    const deletion = await ask(agent, '/teams/1?dryRun=true', { method: 'DELETE' });
    expect(deletion.text).not.toContain('staff');
  });
});

describe('a field that a role sees masked', () => {
  it('is shown as a text that says less, and nobody can ask what it is', async () => {
    const fields = { email: maskedBy('email'), iban: maskedBy('last4'), salary: maskedBy('present') };
    const agent = await startAgent({ staff: fields }, undefined, seesCharts);
    expect(await attributesOf(agent, '/staff')).toEqual([
      { id: 1, name: 'Ada', email: 'a···@example.test', iban: '···1234', salary: '···', team_id: 1 },
      { id: 2, name: 'Bob', email: null, iban: '···5678', salary: '···', team_id: 2 },
      { id: 3, name: 'Cleo', email: 'c···@example.test', iban: null, salary: '···', team_id: 1 },
    ]);
    const refused = await Promise.all([
      ask(agent, `/staff?${filterBy('email', 'equal', 'ada@example.test')}`),
      ask(agent, `/staff?${filterBy('email', 'present', undefined)}`),
      ask(agent, '/staff?sort=iban'),
      ask(agent, '/_internal/values/staff?field=email'),
      ask(agent, '/stats/staff', {
        method: 'POST',
        body: { type: 'Value', aggregator: 'Max', aggregateFieldName: 'iban' },
      }),
      ask(agent, '/stats/staff', {
        method: 'POST',
        body: { type: 'Pie', aggregator: 'Count', groupByFieldName: 'email' },
      }),
      ask(agent, '/staff/1', {
        method: 'PUT',
        body: { data: { attributes: { name: 'Eve' } }, meta: { ifMatch: { email: 'ada@example.test' } } },
      }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400));
    expect(await attributesOf(agent, '/staff?search=ada@example.test')).toEqual([]);
    expect((await ask(agent, '/staff.csv?header=a,b,c,d,e,f')).text).toContain('1,Ada,a···@example.test,···1234,···,1');
    const [team] = (
      (await call(agent, '/staff/1?fields[staff]=email,team&fields[team]=name')).json as {
        readonly included: readonly Resource[];
      }
    ).included;
    expect(team?.attributes['name']).toBe('North');
    const listed = await mcpCall(agent, 'list', { collectionName: 'staff', fields: ['email'] });
    expect(JSON.stringify(listed.result)).not.toContain('ada@');
    expect(JSON.stringify(listed.result)).toContain('a···@example.test');
    expect((await call(agent, '/_internal/schema/staff')).json).toMatchObject({
      fields: expect.arrayContaining([
        expect.objectContaining({ name: 'salary', type: 'String', operators: [], isReadOnly: true, isMasked: true }),
      ]),
    });
  });

  it('brings nothing along that the page is sorted by', async () => {
    const agent = await startAgent({ staff: { email: maskedBy('email') } });
    const listed = await mcpCall(agent, 'list', { collectionName: 'staff', fields: ['email'], sort: '-salary' });
    expect(listed.result.structuredContent?.['records']).toEqual([
      { id: 3, email: 'c···@example.test' },
      { id: 1, email: 'a···@example.test' },
      { id: 2, email: null },
    ]);
  });

  it('is never written by its mask, and only where the rule says so by a value', async () => {
    const agent = await startAgent({ staff: { email: maskedBy('email', true), iban: maskedBy('last4') } });
    const put = (attributes: Readonly<Record<string, unknown>>) =>
      ask(agent, '/staff/1', { method: 'PUT', body: { data: { attributes } } });
    const sentBack = await put({ name: 'Eve', email: 'a···@example.test' });
    expect(sentBack).toMatchObject({ status: 400, text: expect.stringContaining('email') });
    expect(await put({ iban: '···1234' })).toMatchObject({ status: 400, text: expect.stringContaining('iban') });
    expect(await put({ iban: 'DE00 1234' })).toMatchObject({ status: 400, text: expect.stringContaining('read-only') });
    const created = await ask(agent, '/staff', {
      method: 'POST',
      body: { data: { attributes: { name: 'Dan', email: 'd···@example.test' } } },
    });
    expect(created).toMatchObject({ status: 400, text: expect.stringContaining('email') });
    expect(await put({ email: 'eve@example.test' })).toMatchObject({
      status: 200,
      text: expect.stringContaining('e···@example.test'),
    });
    expect(await attributesOf(agent, '/staff')).toHaveLength(3);
  });

  it('is not guessed by the check of an import, nor linked by', async () => {
    const importOf = async (fields: Fields, collection: string, record: Readonly<Record<string, unknown>>) => {
      const agent = await startAgent(fields);
      const body = { mode: 'all', records: [record] };
      const { status, json } = await call(agent, `/_internal/import/${collection}?dryRun=true`, {
        method: 'POST',
        body,
      });
      return [status, (json as { readonly meta?: { readonly failed: number } }).meta?.failed];
    };
    const taken = { values: { name: 'Dan', email: 'ada@example.test' } };
    expect(await importOf({}, 'staff', taken)).toEqual([200, 1]);
    expect(await importOf({ staff: { email: maskedBy('email', true) } }, 'staff', taken)).toEqual([200, 0]);
    const linked = { values: { name: 'Dan' }, titles: { team: 'North' } };
    expect(await importOf({}, 'staff', linked)).toEqual([200, 0]);
    expect(await importOf({ teams: { name: maskedBy('last4') } }, 'staff', linked)).toEqual([400, undefined]);
  });

  it('takes a mask of the code, and hides what it has no mask for', async () => {
    const agent = await startAgent({ staff: { name: maskedBy('initial'), iban: maskedBy('unheard') } }, (shop) =>
      shop.addMask('initial', (value) => `${String(value)[0]}.`),
    );
    const [first] = await attributesOf(agent, '/staff');
    expect(first).toEqual({ id: 1, name: 'A.', email: 'ada@example.test', salary: 5000, team_id: 1 });
  });
});

describe('a field that a role may not write, or not filter by', () => {
  it('is read-only for that role, links by it included', async () => {
    const agent = await startAgent({ staff: { team_id: { read: true, filter: true, write: false } } });
    const put = (target: string, data: unknown) => ask(agent, target, { method: 'PUT', body: { data } });
    expect((await put('/staff/1', { attributes: { team_id: 2 } })).status).toBe(400);
    expect((await put('/staff/1', { attributes: { team_id: 1, name: 'Ada L.' } })).status).toBe(200);
    expect((await put('/staff/1/relationships/team', { type: 'teams', id: '2' })).status).toBe(400);
    const added = await ask(agent, '/teams/2/relationships/staff', {
      method: 'POST',
      body: { data: [{ type: 'staff', id: '1' }] },
    });
    expect(added.status).toBe(400);
    expect((await attributesOf(agent, '/staff'))[0]).toMatchObject({ name: 'Ada L.', team_id: 1 });
  });

  it('is shown, and nobody can ask for records by it', async () => {
    const agent = await startAgent({ staff: { salary: { read: true, filter: false, write: true } } });
    expect((await attributesOf(agent, '/staff'))[0]).toMatchObject({ salary: 5000 });
    expect((await ask(agent, `/staff?${filterBy('salary', 'equal', 5000)}`)).status).toBe(400);
    expect((await ask(agent, '/staff?sort=salary')).status).toBe(400);
    expect(await attributesOf(agent, '/staff?search=5000')).toEqual([]);
  });
});

describe('fields that are made of a restricted field', () => {
  const customize = (agent: Agent) => {
    agent.customizeCollection('staff', (staff) =>
      staff
        .addField('payBand', {
          columnType: 'String',
          dependencies: ['salary'],
          getValues: (records) => records.map(({ salary }) => (Number(salary) > 4000 ? 'high' : 'low')),
        })
        .addField('shownBand', {
          columnType: 'String',
          dependencies: ['salary'],
          getValues: (records) => records.map(({ salary }) => (Number(salary) > 4000 ? 'high' : 'low')),
        })
        .showFieldBecause('shownBand', 'A band does not tell the salary.')
        .addField('twice', { columnType: 'Number', expression: { multiply: [{ field: 'salary' }, { value: 2 }] } })
        .importField('teamBudget', { path: 'team:budget' })
        .importField('teamName', { path: 'team:name' })
        .replaceFieldSorting('iban', [{ field: 'teamName', ascending: true }])
        .replaceFieldSorting('name', [{ field: 'salary', ascending: true }]),
    );
    agent.customizeCollection('teams', (teams) =>
      teams.replaceFieldSorting('name', [{ field: 'budget', ascending: true }]),
    );
  };

  it('follows the strictest of its sources, unless the code says why not', async () => {
    const agent = await startAgent({ staff: { salary: hidden }, teams: { budget: maskedBy('last4') } }, customize);
    const [first] = await attributesOf(agent, '/staff');
    expect(first).toEqual({
      id: 1,
      name: 'Ada',
      email: 'ada@example.test',
      iban: 'DE00 1234',
      team_id: 1,
      shownBand: 'high',
      teamBudget: '···0',
      teamName: 'North',
    });
    const sorts = ['name', 'teamName', 'iban', 'team.name', 'email'];
    const sorted = await Promise.all(sorts.map(async (sort) => (await ask(agent, `/staff?sort=${sort}`)).status));
    expect(sorted).toEqual([400, 400, 400, 400, 200]);
    expect((await ask(agent, `/staff?${filterBy('teamBudget', 'equal', 100)}`)).status).toBe(400);
    expect((await ask(agent, `/staff?${filterBy('twice', 'equal', 10_000)}`)).status).toBe(400);
    expect(await attributesOf(agent, `/staff?${filterBy('teamName', 'equal', 'South')}`)).toHaveLength(1);
  });

  it('is hidden where a key on the way is hidden', async () => {
    const agent = await startAgent({ staff: { team_id: hidden } }, customize);
    const [first] = await attributesOf(agent, '/staff');
    expect(Object.keys(first ?? {})).not.toContain('teamName');
  });
});

describe('fields flattened out of a restricted document', () => {
  const documents = `
    CREATE TABLE places (id INTEGER PRIMARY KEY, address JSON);
    INSERT INTO places VALUES (1, '{"city":"Paris","zip":"75001"}'), (2, NULL);
  `;
  const shownUnder = async (rule: FieldRule) => {
    const platform = platformOfRole({ rights: { places: everything }, fields: { places: { address: rule } } });
    const customize = (agent: Agent) =>
      agent.customizeCollection('places', (places) =>
        places.use(flattenJsonColumn, {
          columnName: 'address',
          columnType: { city: 'String', zip: 'String' },
          keepOriginalColumn: true,
          readonly: false,
        }),
      );
    const agent = await startShopAgent(customize, { platform }, documents);
    const body = { data: { attributes: { 'address@@@zip': '75002' } } };
    const { status } = await ask(agent, '/places/1', { method: 'PUT', body });
    return [status, ...(await attributesOf(agent, '/places'))];
  };

  it('follows the document', async () => {
    expect(await shownUnder(hidden)).toEqual([400, { id: 1 }, { id: 2 }]);
    expect(await shownUnder(maskedBy('present', true))).toEqual([
      400,
      { id: 1, address: '···', 'address@@@city': '···', 'address@@@zip': '···' },
      { id: 2, address: null, 'address@@@city': null, 'address@@@zip': null },
    ]);
    const [status, first] = await shownUnder({ read: true, filter: true, write: false });
    expect([status, first]).toMatchObject([400, { 'address@@@zip': '75001' }]);
  });
});

describe('a scope or a condition of rights about a field that its role may not read', () => {
  it('holds, and the field stays hidden', async () => {
    const agent = await startAgent({ staff: { salary: hidden } }, undefined, {
      scopes: { staff: { field: 'salary', operator: 'greater_than', value: 4000 } },
    });
    expect((await attributesOf(agent, '/staff')).map(({ name }) => name)).toEqual(['Ada', 'Cleo']);
    expect((await ask(agent, '/staff/2')).status).toBe(404);
    expect((await ask(agent, '/staff')).text).not.toContain('salary');
  });
});

describe('an editor whose role is restricted on a field', () => {
  it('sends no queries of a database, which could read it', async () => {
    const main = async () =>
      createSqlDataSource(await createShopFile(undefined, tables), { liveQueryConnections: 'main' })();
    const live = `segmentQuery=${encodeURIComponent('select id from staff where salary > 4000')}&connectionName=main`;
    const chart = { type: 'Value', query: 'select max(salary) as value from staff', connectionName: 'main' };
    const statusesFor = async (fields: Fields) => {
      const agent = await startAgent(fields, undefined, seesCharts, { dataSources: { main } });
      const segment = await ask(agent, `/staff?${live}`);
      const shown = await ask(agent, '/_internal/native_query', { method: 'POST', body: chart });
      return [segment.status, shown.status];
    };
    expect(await statusesFor({})).toEqual([200, 200]);
    expect(await statusesFor({ staff: { salary: hidden } })).toEqual([403, 403]);
  });
});
