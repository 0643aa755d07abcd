import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Agent } from '#runtime/customizer/agent';
import type { SearchOptions } from '#runtime/customizer/query-definition';
import type { Authoriser } from '#runtime/permissions/authoriser';
import { everythingAllowed } from '../../helpers/call-context.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { call, customizedShop } from './shop.ts';

const untouched = () => undefined;

/** Allows everything but reading some collections. */
function closedTo(...collections: readonly string[]): Authoriser {
  return {
    ...everythingAllowed,
    requireReadOn: async (_caller, names) => {
      const closed = [...names].find((name) => collections.includes(name));
      if (!closed) return;
      throw cloudError('REQUEST_FORBIDDEN', `not ${closed}`, 'Ask.');
    },
  };
}

interface Asked {
  readonly isExtended?: boolean;
  readonly timezone?: string;
}

/** What searches in a customized shop find, by id. */
async function searchedShop(open: OpenTables, customize: (agent: Agent) => unknown, authoriser?: Authoriser) {
  const { service } = await customizedShop(open, customize, authoriser);
  const found = async (collection: string, search: string, { isExtended, timezone = 'Europe/Paris' }: Asked = {}) => {
    const query = { collection, search, isSearchExtended: isExtended };
    const context = { caller: { ...call.caller, timezone } };
    const sort = [{ field: 'id', ascending: true }];
    const records = await service.list({ ...query, projection: ['id'], sort }, context);
    expect(await service.count(query, context)).toBe(records.length);
    return records.map(({ id }) => id);
  };
  return { service, found };
}

/** The search language, on whatever the records are kept in. */
export function describeSearch(open: OpenTables): void {
  describe('the search language', () => {
    it('joins, groups and negates terms', async () => {
      const { found } = await searchedShop(open, untouched);
      for (const [search, ids] of [
        ['open A-2', [2]],
        ['open AND A-2', [2]],
        ['paid OR B', [1, 3]],
        ['open b OR paid', [1, 3]],
        ['(paid OR open) -A-2', [1, 3]],
        ['-open', [1, 4]],
        ['-(open OR paid)', [4]],
        ['-(open A-2)', [1, 3, 4]],
        ['"a-1"', [1]],
        ['-"a-1" -B', [2, 4]],
        ['50%', []],
        ['(open', []],
      ] as const) {
        expect(await found('orders', search), search).toEqual(ids);
      }
    });

    it('asks columns by their types', async () => {
      const { found } = await searchedShop(open, untouched);
      for (const [search, ids] of [
        ['total:10.5', [1]],
        ['total:0.100', [4]],
        ['total:>=10.50', [1, 2]],
        ['-total:>10.5', [1, 3, 4]],
        ['total:<11 total:>1', [1]],
        ['total:-5', []],
        ['-total:-5', [1, 2, 3, 4]],
        ['20', [2]],
        ['status:NULL', [4]],
        ['-status:NULL', [1, 2, 3]],
        ['status:""', []],
        ['-status:paid', [2, 3, 4]],
        ['total:much', []],
        ['-total:much', [1, 2, 3, 4]],
        ['PlacedAt:2024-03-10', [1]],
        ['2024-03-10', [1]],
        ['placed-at:2024-03', [1, 2]],
        ['-placed_at:2024-03', [3, 4]],
        ['placed_at:>2024-03-10', [2, 4]],
        ['placed_at:<=2024-03-10', [1]],
        ['placed_at:2023', []],
      ] as const) {
        expect(await found('orders', search), search).toEqual(ids);
      }
      expect(await found('customers', 'vip:TRUE')).toEqual([1]);
      expect(await found('customers', 'city:NULL OR CLÉO')).toEqual([2, 3]);
    });

    it('takes days in the zone of the caller, their first instant inside', async () => {
      const { found } = await searchedShop(open, untouched);
      const inZone = (timezone: string, search: string) => found('orders', search, { timezone });
      expect(await inZone('America/New_York', 'placed_at:2024-03')).toEqual([1, 2, 4]);
      expect(await inZone('America/New_York', 'placed_at:2024-03-31')).toEqual([4]);
      expect(await inZone('UTC', 'placed_at:2024-04-01')).toEqual([4]);
      expect(await inZone('UTC', 'placed_at:<2024-04-01')).toEqual([1, 2]);
      expect(await inZone('UTC', 'placed_at:>=2024-04')).toEqual([4]);
      expect(await inZone('UTC', '-placed_at:2024-04-01')).toEqual([1, 2, 3]);
    });

    it('goes through relations that it names, and one level further when extended', async () => {
      const { found } = await searchedShop(open, untouched);
      for (const [search, ids] of [
        ['customer.name:ada', [1, 2]],
        ['-customer.name:ada', [3, 4]],
        ['CUSTOMER.NAME:ada OR customer.city:NULL', [1, 2, 3, 4]],
        ['customer.orders.reference:b-1', [3]],
        ['customer:ada', []],
        ['nowhere:ada', []],
        ['customer.nowhere:ada', []],
        ['ada', []],
      ] as const) {
        expect(await found('orders', search), search).toEqual(ids);
      }
      expect(await found('orders', 'ada', { isExtended: true })).toEqual([1, 2]);
      expect(await found('orders', '-ada -C-1', { isExtended: true })).toEqual([3]);
    });

    it('says of many related records that one of them meets a term, and negated that none does', async () => {
      const { found, service } = await searchedShop(open, untouched);
      const may = { reference: 'D-1', placed_at: '2024-05-10T00:00:00.000Z', customer_id: 1 };
      await service.create('orders', may, call);
      for (const [search, ids] of [
        ['orders.status:open', [1, 2]],
        ['-orders.status:paid', [2, 3]],
        ['orders.status:NULL', [1]],
        ['orders.total:>15', [1]],
        ['-orders.total:>15', [2, 3]],
        ['orders.placed_at:2024-03', [1]],
        // Ada has one before and one after.
        ['orders.placed_at:2024-04', []],
        ['-orders.placed_at:2024-04', [1, 2, 3]],
        ['-orders.placed_at:2024-05', [2, 3]],
        ['orders.customer.orders.placed_at:2024-04', []],
        ['orders.customer.orders.placed_at:2024-05', [1]],
        ['-orders.customer.orders.status:paid', [2, 3]],
      ] as const) {
        expect(await found('customers', search), search).toEqual(ids);
      }
    });

    it('follows relations between data sources', async () => {
      const { found } = await searchedShop(open, (agent) =>
        agent.customizeCollection('customers', (on) =>
          on.addOneToManyRelation('contacts', 'contacts', { originKey: 'customer_id' }),
        ),
      );
      expect(await found('customers', 'contacts.phone:33')).toEqual([1]);
      expect(await found('customers', '-contacts.phone:33')).toEqual([2, 3]);
      expect(await found('customers', 'contacts.phone:NULL')).toEqual([3]);
      expect(await found('orders', 'customer.contacts.level:>=2')).toEqual([1, 2]);
      expect(await found('orders', '-customer.contacts.level:>=2')).toEqual([3, 4]);
    });

    it('takes any text', async () => {
      const { service } = await searchedShop(open, untouched);
      const names = ['status', 'customer.name', 'customer.orders.placed_at', 'total', 'placed_at', 'id', 'x'];
      const values = [
        '2024',
        '0000-00',
        '9999-12-31',
        '>1e400',
        '<=-0',
        '9'.repeat(200),
        'NULL',
        '""',
        '\0',
        '\\',
        '%',
        'é',
      ];
      const part = fc.oneof(
        fc.constantFrom('-', '(', ')', ' ', ' OR ', '"', "'", 'a'),
        fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values)).map(([name, value]) => `${name}:${value} `),
        fc.string({ unit: 'binary', maxLength: 5 }),
      );
      const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join('').slice(0, 256));
      await fc.assert(
        fc.asyncProperty(text, fc.boolean(), async (search, isSearchExtended) => {
          const count = await service.count({ collection: 'orders', search, isSearchExtended }, call);
          expect(count).toBeLessThanOrEqual(4);
        }),
        { numRuns: 100 },
      );
    });

    it('knows published names and no field that is removed', async () => {
      const { found } = await searchedShop(open, (agent) => {
        agent.customizeCollection('orders', (on) => on.renameField('status', 'order-state').removeField('total'));
        agent.customizeCollection('customers', (on) => on.renameField('name', 'label').removeField('city'));
      });
      for (const [search, ids] of [
        ['orderState:open', [2, 3]],
        ['open', [2, 3]],
        ['status:open', []],
        ['total:10.5', []],
        ['10.5', []],
        ['customer.label:ada', [1, 2]],
        ['customer.name:ada', []],
        ['customer.city:paris', []],
      ] as const) {
        expect(await found('orders', search), search).toEqual(ids);
      }
      expect(await found('orders', 'paris', { isExtended: true })).toEqual([]);
    });

    it('leaves fields out that would take reading every record, unless they are named', async () => {
      const { found } = await searchedShop(open, (agent) =>
        agent
          .customizeCollection('customers', (on) =>
            on
              .addField('shout', {
                columnType: 'String',
                dependencies: ['name'],
                getValues: (records) => records.map(({ name }) => `${String(name).toUpperCase()}!`),
              })
              .emulateFieldFiltering('shout')
              .addField('length', {
                columnType: 'String',
                dependencies: ['name'],
                getValues: (records) => records.map(({ name }) => String(String(name).length)),
              })
              .replaceFieldOperator('length', 'Equal', (value) => ({
                field: 'id',
                operator: 'Equal',
                value: String(value).length,
              })),
          )
          .customizeCollection('orders', (on) => on.importField('buyer', { path: 'customer:name' })),
      );
      expect(await found('customers', 'ada!')).toEqual([]);
      expect(await found('customers', 'shout:ada!')).toEqual([1]);
      expect(await found('customers', '-shout:ada!')).toEqual([2, 3]);
      expect(await found('customers', 'zzz')).toEqual([3]);
      expect(await found('orders', 'bob')).toEqual([3]);
    });

    it('looks nowhere that the caller may not read', async () => {
      const { found } = await searchedShop(open, untouched, closedTo('customers'));
      expect(await found('orders', 'customer.name:ada')).toEqual([]);
      expect(await found('orders', '-customer.name:ada')).toEqual([1, 2, 3, 4]);
      expect(await found('orders', 'customer.name:NULL')).toEqual([]);
      expect(await found('orders', 'ada', { isExtended: true })).toEqual([]);
      expect(await found('orders', 'customer.orders.reference:a-1')).toEqual([1, 2]);
    });
  });

  describe('a search of the project', () => {
    const searching =
      (options: SearchOptions, text = (search: string) => search) =>
      (agent: Agent) =>
        agent.customizeCollection('orders', (on) =>
          on
            .replaceSearch(
              (search, _isExtended, context) => context.generateSearchFilter(text(search), options) as never,
            )
            .renameField('status', 'state')
            .removeField('total'),
        );

    it('chooses the fields of the default one by their original names', async () => {
      for (const [options, search, ids] of [
        [{}, 'ada', []],
        [{ extended: true }, 'ada', [1, 2]],
        [{ onlyFields: ['status'] }, 'open', [2, 3]],
        [{ onlyFields: ['status'] }, 'a-1', []],
        [{ onlyFields: ['status'] }, 'reference:a-1', []],
        [{ onlyFields: ['status', 'customer:orders:reference'] }, 'a-1', [1, 2]],
        [{ onlyFields: ['status'], includeFields: ['reference'] }, 'a-1', [1]],
        [{ includeFields: ['customer:city'] }, 'paris', [1, 2]],
        [{ includeFields: ['total'] }, '10.5', [1]],
        [{ excludeFields: ['status'] }, 'open', []],
        [{ excludeFields: ['status'] }, 'state:open', []],
        [{ extended: true, excludeFields: ['customer:name'] }, 'ada', [1, 2]],
        [{ extended: true, excludeFields: ['customer:name', 'customer:email'] }, 'ada', []],
      ] as const) {
        const { found } = await searchedShop(open, searching(options));
        expect(await found('orders', search), `${JSON.stringify(options)} ${search}`).toEqual(ids);
      }
    });

    it('may write original names into the text, and opens no removed field to the caller', async () => {
      const renamed = (agent: Agent) =>
        agent.customizeCollection('customers', (on) =>
          on
            .renameField('name', 'label')
            .replaceSearch((search, _isExtended, context) => context.generateSearchFilter(search)),
        );
      const search = searching({}, (text) => `status:open ${text}`);
      const { found } = await searchedShop(open, (agent) => search(renamed(agent)));
      expect(await found('orders', 'state:open')).toEqual([2, 3]);
      expect(await found('orders', 'b')).toEqual([3]);
      expect(await found('orders', 'total:20')).toEqual([]);
      expect(await found('orders', '-customer.orders.status:paid')).toEqual([3]);
      expect(await found('orders', '(customer.name:bob OR customer.label:ada)')).toEqual([2, 3]);
      const { found: foundPlainly } = await searchedShop(open, renamed);
      expect(await foundPlainly('orders', 'customer.name:bob')).toEqual([]);
      expect(await foundPlainly('orders', 'customer.label:bob')).toEqual([3]);
    });

    it('fails as a customization where it chooses a field that does not exist', async () => {
      const { found } = await searchedShop(open, searching({ onlyFields: ['state'] }));
      await expect(found('orders', 'open')).rejects.toMatchObject({
        code: 'CUSTOMIZATION_FAILED',
        message: expect.stringContaining('"state"'),
      });
    });

    it('is closed to requests where it is disabled, and open to code', async () => {
      const { service } = await searchedShop(open, (agent) =>
        agent.customizeCollection('orders', (on) =>
          on
            .replaceSearch(() => ({ field: 'reference', operator: 'Equal', value: 'B-1' }))
            .disableSearch()
            .addSegment('b', async ({ collection }) => {
              const found = await collection.list({ search: 'the bee' }, ['id']);
              return { field: 'id', operator: 'In', value: found.map(({ id }) => id) };
            }),
        ),
      );
      await expect(service.count({ collection: 'orders', search: 'b' }, call)).rejects.toMatchObject({
        code: 'REQUEST_INVALID',
      });
      expect(await service.count({ collection: 'orders', segment: 'b' }, call)).toBe(1);
    });
  });
}
