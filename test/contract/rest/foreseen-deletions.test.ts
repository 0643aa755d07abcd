import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/index';
import { platformOfRole } from '../../helpers/role-platform.ts';
import { call, type ShopAgent, startShopAgent } from '../../helpers/shop-agent.ts';

const tables = `
  CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER REFERENCES teams(id) ON DELETE CASCADE);
  CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT,
    team_id INTEGER REFERENCES teams(id) ON DELETE CASCADE, former_id INTEGER REFERENCES teams(id) ON DELETE CASCADE);
  CREATE TABLE badges (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES people(id) ON DELETE CASCADE);
  CREATE TABLE desks (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES people(id) ON DELETE SET NULL);
  CREATE TABLE debts (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES people(id));
  INSERT INTO teams VALUES (1, 'a', NULL), (2, 'b', 1), (3, 'c', 2), (4, 'other', NULL);
  INSERT INTO people VALUES (1, 'x', 1, 2), (2, 'y', 3, NULL), (3, 'z', 4, 1), (4, 'free', NULL, NULL);
  INSERT INTO badges VALUES (1, 1), (2, 1), (3, 2), (4, 4);
  INSERT INTO desks VALUES (1, 1), (2, 4);
`;

async function foresee(agent: ShopAgent, target: string, body?: object) {
  const { status, json } = await call(agent, target, { method: 'DELETE', ...(body ? { body } : {}) });
  expect(status).toBe(200);
  return (json as { meta: object }).meta;
}

const serve = (customize: unknown = undefined, options: Parameters<typeof startShopAgent>[1] = {}) =>
  startShopAgent(customize, options, tables);

const nothing = { alsoDeleted: [], unlinked: [], blocking: [], isWhole: true };

describe('a dry run of a deletion', () => {
  it('says what goes along, over several tables, and each record once', async () => {
    const agent = await serve();
    expect(await foresee(agent, '/teams/1?dryRun=true')).toEqual({
      dryRun: true,
      records: 1,
      isFinal: true,
      alsoDeleted: [
        { collection: 'teams', count: 2 },
        { collection: 'people', count: 3 },
        { collection: 'badges', count: 3 },
      ],
      unlinked: [{ collection: 'desks', count: 1 }],
      blocking: [],
      isWhole: true,
    });
    const before = await call(agent, '/teams/1');
    expect(before.status).toBe(200);
    await call(agent, '/teams/1', { method: 'DELETE' });
    for (const [collection, left] of Object.entries({ teams: 1, people: 1, badges: 1, desks: 2 })) {
      expect([collection, (await call(agent, `/${collection}/count`)).json]).toEqual([collection, { count: left }]);
    }
  });

  it('says what keeps records from being deleted', async () => {
    const agent = await serve();
    await call(agent, '/debts', { method: 'POST', body: { data: { attributes: { person_id: 2 } } } });
    expect(await foresee(agent, '/people/2?dryRun=true')).toMatchObject({
      alsoDeleted: [{ collection: 'badges', count: 1 }],
      blocking: [{ collection: 'debts', count: 1 }],
    });
    expect((await call(agent, '/people/2', { method: 'DELETE' })).status).toBeGreaterThanOrEqual(400);
  });

  it('takes a selection: ids, or all that match', async () => {
    const agent = await serve();
    const ids = await foresee(agent, '/people?dryRun=true', { data: { attributes: { ids: ['1', '4', '99'] } } });
    expect(ids).toMatchObject({ records: 2, alsoDeleted: [{ collection: 'badges', count: 3 }] });
    const filters = JSON.stringify({ field: 'team:name', operator: 'equal', value: 'c' });
    const attributes = { all_records: true, all_records_ids_excluded: [], all_records_subset_query: { filters } };
    const some = await foresee(agent, '/people?dryRun=true', { data: { attributes } });
    expect(some).toMatchObject({ records: 1, alsoDeleted: [{ collection: 'badges', count: 1 }], unlinked: [] });
    const everything = { all_records: true, all_records_ids_excluded: [] };
    const all = await foresee(agent, '/people?dryRun=true', { data: { attributes: everything } });
    expect(all).toMatchObject({ records: 4, alsoDeleted: [{ collection: 'badges', count: 4 }] });
    const none = await foresee(agent, '/people?dryRun=true', { data: { attributes: { ids: [] } } });
    expect(none).toEqual({ dryRun: true, records: 0, isFinal: true, ...nothing });
  });

  it('says nothing of records that the caller may not list, but that there are some', async () => {
    const all = { browseEnabled: true, readEnabled: true, deleteEnabled: true };
    const rights = { teams: all, people: all, badges: {}, desks: all };
    const scope = { field: 'name', operator: 'not_equal', value: 'x' };
    const platform = platformOfRole({ rights, scopes: { people: scope } });
    const meta = await foresee(await serve(undefined, { platform }), '/teams/1?dryRun=true');
    expect(meta).toMatchObject({ isWhole: false, unlinked: [{ collection: 'desks', count: 1 }] });
    expect(meta).toMatchObject({
      alsoDeleted: [
        { collection: 'teams', count: 2 },
        { collection: 'people', count: 2 },
      ],
    });
    expect(JSON.stringify(meta)).not.toContain('badges');
  });

  it('asks for the right to delete, and for one that is in scope', async () => {
    const reading = { browseEnabled: true, readEnabled: true };
    const platform = platformOfRole({ rights: { teams: reading } });
    const agent = await serve(undefined, { platform });
    expect((await call(agent, '/teams/1?dryRun=true', { method: 'DELETE' })).status).toBe(403);
    const scopes = { teams: { field: 'name', operator: 'equal', value: 'b' } };
    const scoped = platformOfRole({ rights: { teams: { ...reading, deleteEnabled: true } }, scopes });
    const meta = await foresee(await serve(undefined, { platform: scoped }), '/teams/1?dryRun=true');
    expect(meta).toMatchObject({ records: 0, alsoDeleted: [] });
  });

  it('follows 60 foreign keys, and says that there are more', async () => {
    const leaves = Array.from({ length: 61 }, (_, index) => `leaf_${index}`);
    const more = leaves.map(
      (name) => `CREATE TABLE ${name} (id INTEGER PRIMARY KEY, o INTEGER REFERENCES owners(id) ON DELETE CASCADE);
        INSERT INTO ${name} VALUES (1, 1);`,
    );
    const owners = 'CREATE TABLE owners (id INTEGER PRIMARY KEY); INSERT INTO owners VALUES (1);';
    const agent = await startShopAgent(undefined, {}, owners + more.join('\n'));
    const { alsoDeleted, isWhole } = (await foresee(agent, '/owners/1?dryRun=true')) as Record<string, unknown>;
    expect([alsoDeleted, isWhole]).toEqual([expect.objectContaining({ length: 60 }), false]);
  });

  it('knows nothing of what code does in the place of the database', async () => {
    const agent = await serve((shop: Agent) =>
      shop.customizeCollection('teams', (teams) => teams.overrideDelete(async () => undefined)),
    );
    expect(await foresee(agent, '/teams/1?dryRun=true')).toEqual({
      dryRun: true,
      records: 1,
      isFinal: true,
      ...nothing,
      isWhole: false,
    });
  });
});
