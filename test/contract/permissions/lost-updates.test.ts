import { describe, expect, it, onTestFinished } from 'vitest';
import type { Agent } from '#runtime/customizer/agent';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import { openMingo } from '../mongo/open-mingo.ts';
import { describeLostUpdates } from './lost-update-suite.ts';
import type { Rights } from './rights.ts';
import { serveShop } from './shop-agent.ts';
import { shop } from './shop-data.ts';

describeLostUpdates('memory', openMemory, { hasDocuments: true });
describeLostUpdates('SQLite', openSqliteTables, { hasDocuments: true });
describeLostUpdates('mingo', openMingo, { hasRelations: false });

describe('values that a caller says to have seen', () => {
  const all = { browse: true, read: true, export: true, add: true, edit: true, delete: true };
  const order = { collectionName: 'orders', recordId: 1 };
  const serve = async (of: Partial<Rights['of']>, customize?: (agent: Agent) => unknown) => {
    const rights = {
      of: { customers: all, orders: all, lines: all, ...of },
      scopes: { customers: null, orders: null, lines: null },
    };
    const agent = await serveShop(openMemory, shop, rights, customize);
    onTestFinished(() => agent.close());
    return agent;
  };

  it.each(['update', 'delete'])('tell nothing to whoever may not read the record: %s', async (name) => {
    const agent = await serve({ orders: { ...all, read: false } });
    const answers = await Promise.all(
      ['paid', 'open', 5].map(async (status) => {
        const args = { collectionName: 'orders', recordId: 1, attributes: { total: 1 }, ifMatch: { status } };
        const { recordId, attributes, ...deletion } = args;
        const asked = name === 'update' ? args : { ...deletion, recordIds: [recordId] };
        const dry = await agent.askTool({ name, args: { ...asked, dryRun: true } });
        return [dry, await agent.askTool({ name, args: asked })];
      }),
    );
    const [[first] = []] = answers;
    expect(first).toMatchObject({ status: 403 });
    expect(answers.flat()).toEqual(Array(6).fill(first));
    expect(await agent.everything()).toEqual(shop);
  });

  it('are those of columns: names the field of what cannot be compared, and writes nothing', async () => {
    const agent = await serve({}, (customized) =>
      customized.customizeCollection('orders', (orders) =>
        orders
          .addField('shout', {
            columnType: 'String',
            dependencies: ['status'],
            getValues: (found) => found.map(() => 'X'),
          })
          .importField('city', { path: 'customer:city' })
          .removeField('reference'),
      ),
    );
    const cases: readonly (readonly [unknown, object])[] = [
      [{ stauts: 'paid' }, { code: 'REQUEST_FIELD_UNKNOWN', field: 'stauts' }],
      [{ reference: 'A-1' }, { code: 'REQUEST_FIELD_UNKNOWN', field: 'reference' }],
      ['{"__proto__":"paid"}', { code: 'REQUEST_FIELD_UNKNOWN', field: '__proto__' }],
      [{ shout: 'X' }, { code: 'REQUEST_INVALID', field: 'shout' }],
      [{ city: 'Paris' }, { code: 'REQUEST_INVALID', field: 'city' }],
      [{ customer: 1 }, { code: 'REQUEST_INVALID', field: 'customer' }],
      [{ total: 'ten' }, { code: 'REQUEST_INVALID', field: 'total' }],
      [{ status: { preview: 'pa', length: 4 } }, { code: 'REQUEST_INVALID', field: 'status' }],
      [{}, { code: 'REQUEST_INVALID' }],
      ['[]', { code: 'REQUEST_INVALID' }],
    ];
    for (const [ifMatch, expected] of cases) {
      const { body } = await agent.askTool({ name: 'update', args: { ...order, attributes: { total: 1 }, ifMatch } });
      expect([ifMatch, JSON.parse(body)]).toEqual([ifMatch, expect.objectContaining(expected)]);
    }
    // Another record is written by another statement, which cannot be held to them.
    const partner = { ...order, attributes: { city: 'Nice' }, ifMatch: { status: 'paid' } };
    const { body } = await agent.askTool({ name: 'update', args: partner });
    expect(JSON.parse(body)).toMatchObject({ code: 'REQUEST_UNPROCESSABLE' });
    expect(await agent.everything()).toEqual(shop);
  });
});
