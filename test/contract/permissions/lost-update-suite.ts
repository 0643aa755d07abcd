import { describe, expect, it, onTestFinished } from 'vitest';
import type { Agent } from '#runtime/customizer/agent';
import { call, customizedShop } from '../customizer/shop.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { valueRecords, valuesTable } from '../data-source/writing-tests.ts';
import type { Rights } from './rights.ts';
import { serveShop } from './shop-agent.ts';
import { shop } from './shop-data.ts';

const all = { browse: true, read: true, export: true, add: true, edit: true, delete: true };
const free = { customers: null, orders: null, lines: null };
const everything: Rights = { of: { customers: all, orders: all, lines: all }, scopes: free };
const order = { collectionName: 'orders', recordId: 1 };
const parallel = 4;

interface LostUpdateOptions {
  /** Whether records can be chosen by related ones in the database itself. */
  readonly hasRelations?: boolean;
  /** Whether the database compares documents. */
  readonly hasDocuments?: boolean;
}

/** What happens to writes that say which values they have seen, while others write. */
export function describeLostUpdates(
  engine: string,
  open: OpenTables,
  { hasRelations = true, hasDocuments = false }: LostUpdateOptions = {},
) {
  const serve = async (rights: Rights = everything, customize?: (agent: Agent) => unknown) => {
    // Nothing refers to the orders, so that they can be deleted.
    const agent = await serveShop(open, { ...shop, lines: [] }, rights, customize);
    onTestFinished(() => agent.close());
    return agent;
  };
  const orderOne = async (agent: Awaited<ReturnType<typeof serve>>) =>
    (await agent.everything()).orders.find(({ id }) => id === 1);

  const scopes = [
    ['without a scope', everything],
    ...(hasRelations
      ? [
          [
            'in a scope of related records',
            { ...everything, scopes: { ...free, orders: { column: 'customer:city', value: 'Paris' } } },
          ] as const,
        ]
      : []),
  ] as const;

  describe(`writes that say what they have seen, on ${engine}`, () => {
    it.each(scopes)(
      'the database makes a single one of several updates at the same time, %s',
      async (_case, rights) => {
        const together = Promise.withResolvers<void>();
        let arrived = 0;
        const agent = await serve(rights, (customized) =>
          customized.customizeCollection('orders', (orders) =>
            orders.addHook('Before', 'Update', async () => {
              arrived += 1;
              if (arrived === parallel) together.resolve();
              await together.promise;
            }),
          ),
        );
        const totals = Array.from({ length: parallel }, (_, index) => 100 + index);
        const answers = await Promise.all(
          totals.map((total) =>
            agent.askTool({ name: 'update', args: { ...order, attributes: { total }, ifMatch: { total: 10 } } }),
          ),
        );
        const made = answers.findIndex(({ status }) => status === 200);
        expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(parallel - 1).fill(409)]);
        for (const { status, body } of answers) {
          if (status === 409) expect(JSON.parse(body)).toMatchObject({ code: 'RECORD_CHANGED', fields: ['total'] });
        }
        expect(await orderOne(agent)).toMatchObject({ total: totals[made] });
      },
    );

    it.each(['update', 'delete'])('a change right before %s is found by the write itself', async (name) => {
      let isFirst = true;
      const agent = await serve(everything, (customized) => {
        const change = async () => {
          if (!isFirst) return;
          isFirst = false;
          const args = { ...order, attributes: { status: 'open' } };
          expect(await agent.askTool({ name: 'update', args })).toMatchObject({ status: 200 });
        };
        customized.customizeCollection('orders', (orders) =>
          orders.addHook('Before', 'Update', change).addHook('Before', 'Delete', change),
        );
      });
      const ifMatch = { status: 'paid', total: 10 };
      const { recordId, ...collection } = order;
      const args =
        name === 'update'
          ? { ...order, attributes: { total: 11 }, ifMatch }
          : { ...collection, recordIds: [recordId, 3], ifMatch };
      const first = await agent.askTool({ name, args });
      const { confirmationToken } = JSON.parse(first.body);
      const { status, body } = confirmationToken
        ? await agent.askTool({ name, args: { ...args, confirmationToken } })
        : first;
      expect([status, JSON.parse(body)]).toEqual([
        409,
        {
          code: 'RECORD_CHANGED',
          message:
            'Somebody else has changed the record. "status" is no longer as you have seen it. Nothing was written.',
          fields: ['status'],
          retryable: false,
          nextSteps: ['Read the record again. Where the write is still right, make it with the values of now.'],
        },
      ]);
      // Of several records none is deleted.
      const [changed, ...others] = shop.orders;
      expect((await agent.everything()).orders).toEqual([{ ...changed, status: 'open' }, ...others]);
    });

    it('values of every type are taken as they were read, and no others; documents where the database compares them', async () => {
      const { service } = await customizedShop(open, () => undefined, undefined, [valuesTable(12)]);
      const [first = {}, ...others] = valueRecords(12);
      for (const record of [first, ...others]) {
        const { id } = await service.create('values', record, call);
        // As JSON carries them to a client, and back.
        const { j, ...seen } = JSON.parse(JSON.stringify(await service.get('values', [id], undefined, call)));
        expect(await service.update('values', [id], { n: 5 }, call, seen)).toMatchObject({ id, n: 5 });
        const withDocument = service.update('values', [id], { t: 'x' }, call, { j });
        if (hasDocuments) expect(await withDocument).toMatchObject({ id, t: 'x' });
        else await expect(withDocument).rejects.toMatchObject({ code: 'REQUEST_INVALID', details: { field: 'j' } });
        const { j: _document, ...different } = record === first ? (others[0] ?? {}) : first;
        for (const [field, value] of Object.entries(different)) {
          const update = service.update('values', [id], { n: 6 }, call, { [field]: value });
          await expect(update, field).rejects.toMatchObject({
            code: 'RECORD_CHANGED',
            details: { fields: { [field]: { seen: value } } },
          });
        }
      }
    });
  });
}
