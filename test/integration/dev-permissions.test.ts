import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownSchemaSchema } from '#contracts/schema-document';
import { explainPermissions } from '#flows/run/explain';
import { openConsoleBrowser, signInToConsole } from '../helpers/console-browser.ts';
import { startDevSession } from '../helpers/dev-session.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const rights = (...allowed: string[]) => Object.fromEntries(allowed.map((right) => [right, true]));
const asker = {
  developer: { name: 'Test Developer', email: 'developer@test.local' },
  signal: new AbortController().signal,
};
const fileOf = (collections: Record<string, unknown>, more = {}) => ({ roles: { support: { collections } }, ...more });
const write = (root: string, document: unknown) =>
  writeFile(
    path.join(root, 'permissions.json'),
    typeof document === 'string' ? document : JSON.stringify(document, null, 2),
  );

type Ready = Awaited<ReturnType<typeof startDevSession>>['ready'];

async function statusOf({ agent, token }: Ready, collection: string): Promise<number> {
  const url = `${agent.url}/${collection}?timezone=UTC&page[size]=1`;
  return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;
}

describe('dev in a project with permissions.json', () => {
  it('lets the developer do everything, and explains what others may do, as the file says now', async () => {
    const root = await createShopProject();
    await write(
      root,
      fileOf({ orders: rights('browse') }, { people: { 'developer@test.local': { role: 'support' } } }),
    );
    const session = await startDevSession(root);
    expect(await statusOf(session.ready, 'customers')).toBe(200);
    const mayBrowse = async (collection: string) => {
      const question = { user: 'developer@test.local', collection, path: undefined, renderingId: undefined };
      const { rights: found } = await explainPermissions(flowContext(root), { folder: root, ...asker, question });
      return found.find(({ right }) => right === 'browse')?.isAllowed;
    };
    expect([await mayBrowse('orders'), await mayBrowse('customers')]).toEqual([true, false]);
    await write(
      root,
      fileOf({ customers: rights('browse') }, { people: { 'developer@test.local': { role: 'support' } } }),
    );
    await session.next('permissions');
    expect([await mayBrowse('orders'), await mayBrowse('customers')]).toEqual([false, true]);
    expect(await statusOf(session.ready, 'orders')).toBe(200);
  });

  it.each([
    ['while dev serves, and while it does not', 'Bob@example.test'],
    ['by the name of a role', 'role:support'],
  ])('explains people and roles of the file %s', { tags: 'long' }, async (_when, user) => {
    const root = await createShopProject();
    const people = { 'bob@example.test': { role: 'support' } };
    const scope = { field: 'status', operator: 'equal', value: 'paid' };
    const teams = { Operations: { collections: { orders: { scope } } } };
    await write(root, fileOf({ orders: rights('browse'), customers: {} }, { people, teams }));
    const question = { user, collection: 'orders', path: undefined, renderingId: undefined };
    const explain = () => explainPermissions(flowContext(root), { folder: root, ...asker, question });
    const expected = {
      user: { role: 'support' },
      rights: expect.arrayContaining([
        { right: 'browse', isAllowed: true, because: 'role "support" may' },
        { right: 'edit', isAllowed: false, because: 'no role may' },
      ]),
      scope: { isAllowed: true, condition: 'status Equal "paid"' },
    };
    expect(await explain()).toMatchObject(expected);
    await startDevSession(root);
    expect(await explain()).toMatchObject(expected);
  });

  it('serves another person under the rights of the file, and a save of it holds at once', async () => {
    const root = await createShopProject();
    await write(root, fileOf({ orders: rights('browse', 'read') }));
    const session = await startDevSession(root, 'role:support');
    const as = { email: 'support@role.invalid', role: 'support', roles: ['support'], team: 'Operations' };
    expect(session.ready.as).toEqual(as);
    expect([await statusOf(session.ready, 'orders'), await statusOf(session.ready, 'customers')]).toEqual([200, 403]);
    await write(root, fileOf({ customers: rights('browse', 'read') }));
    await session.next('permissions');
    // The announcement and the request come by two connections.
    await expect.poll(() => statusOf(session.ready, 'orders')).toBe(403);
    expect(await statusOf(session.ready, 'customers')).toBe(200);
  });

  it('keeps the last good rights while the file is wrong, and points at the place', async () => {
    const root = await createShopProject();
    const person = { people: { 'bob@example.test': { role: 'support', tags: { region: 'north' } } } };
    await write(root, fileOf({ orders: rights('browse') }, person));
    const session = await startDevSession(root, 'bob@example.test');
    expect(session.ready.as).toMatchObject({ email: 'bob@example.test', role: 'support' });
    await write(root, fileOf({ odrers: rights('browse') }, person));
    const { error } = await session.next('error');
    expect(error).toMatchObject({
      code: 'PERMISSION_FILE_INVALID',
      message: expect.stringContaining('There is no collection "odrers". Did you mean "orders"?'),
      location: { file: path.join(root, 'permissions.json'), line: 5, frame: expect.stringContaining('> 5 |') },
    });
    expect(await statusOf(session.ready, 'orders')).toBe(200);
    await write(root, '{');
    expect((await session.next('error')).error.message).toContain('is not JSON');
    expect(await statusOf(session.ready, 'orders')).toBe(200);
  });

  it.each([
    ['without a file', undefined, 'role:support', 'There is no permissions.json'],
    ['as a role that the file lacks', fileOf({}), 'role:suport', 'Did you mean "support"?'],
    ['as a person that the file lacks', fileOf({}), 'ada@example.test', 'has no person'],
  ])('does not start %s', async (_what, document, as, message) => {
    const root = await createShopProject();
    if (document) await write(root, document);
    else await rm(path.join(root, 'permissions.json'), { force: true });
    await expect(startDevSession(root, as)).rejects.toMatchObject({ message: expect.stringContaining(message) });
  });
});

describe('dev in a project without permissions.json', () => {
  it('tells its platform what the code shows, at the start and after a save', { tags: 'long' }, async () => {
    const session = await startDevSession();
    const { origin, hash } = new URL(session.controls.makeSignInLink?.().link ?? '');
    const browser = openConsoleBrowser({ url: origin });
    await signInToConsole(browser, { url: origin }, { link: hash.slice(1) });
    const fieldsOf = async (name: string) => {
      const { schema } = knownSchemaSchema.parse(await (await browser.ask('GET', '/api/schema')).json());
      return schema?.collections.find((collection) => collection.name === name)?.fields.map(({ field }) => field);
    };
    expect(await fieldsOf('orders')).toContain('total');
    expect(await fieldsOf('orders')).not.toContain('halfTotal');
    await writeFile(session.entry, withHalfTotal);
    await session.next('reloaded');
    await expect.poll(() => fieldsOf('orders')).toContain('halfTotal');
  });
});

const withHalfTotal = `export default (agent) => {
  agent.customizeCollection('orders', (orders) =>
    orders.addField('halfTotal', {
      columnType: 'Number',
      dependencies: ['total'],
      getValues: (records) => records.map(({ total }) => Number(total) / 2),
    }),
  );
};
`;
