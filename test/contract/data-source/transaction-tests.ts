import { describe, expect, it } from 'vitest';
import { type OpenTables, utc, withTables } from './opened.ts';
import type { NeutralTable } from './tables.ts';

const tables: readonly NeutralTable[] = [
  {
    name: 'accounts',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'balance', type: 'integer', isRequired: true },
    ],
    primaryKey: ['id'],
    rows: [
      { id: 1, balance: 10 },
      { id: 2, balance: 0 },
    ],
  },
  {
    name: 'owners',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'account_id', type: 'integer' },
    ],
    primaryKey: ['id'],
    foreignKeys: [{ columns: ['account_id'], table: 'accounts', foreignColumns: ['id'] }],
    rows: [],
  },
];

const idIs = (id: number) => ({ field: 'id', operator: 'Equal', value: id }) as const;

/** Several writes that belong together. */
export function describeTransactions(open: OpenTables): void {
  describe('a transaction', () => {
    const balances = { collection: 'accounts', projection: ['balance'], sort: [{ field: 'id', ascending: true }] };

    it('commits all that went through it, and sees its own writes', async () => {
      await withTables(open, tables, async (source) => {
        const seen = await source.transaction(async (store) => {
          await store.update('accounts', idIs(1), { balance: 4 }, utc);
          await store.create('accounts', [{ id: 3, balance: 6 }], utc);
          await store.delete('accounts', idIs(2), utc);
          return store.list(balances, utc);
        }, utc);
        expect(seen.map(({ balance }) => balance)).toEqual([4, 6]);
        expect((await source.list(balances, utc)).map(({ balance }) => balance)).toEqual([4, 6]);
      });
    });

    it('undoes all of it when a part fails, and leaves the source usable', async () => {
      await withTables(open, tables, async (source) => {
        const failing = source.transaction(async (store) => {
          await store.update('accounts', idIs(1), { balance: 0 }, utc);
          await store.create('accounts', [{ id: 2, balance: 1 }], utc);
        }, utc);
        await expect(failing).rejects.toMatchObject({ code: 'DATABASE_CONSTRAINT_VIOLATED' });
        expect((await source.list(balances, utc)).map(({ balance }) => balance)).toEqual([10, 0]);
        expect(await source.update('accounts', idIs(2), { balance: 5 }, utc)).toBe(1);
      });
    });

    it('undoes all of it when the work throws something of its own', async () => {
      await withTables(open, tables, async (source) => {
        const failing = source.transaction(async (store) => {
          await store.delete('accounts', undefined, utc);
          throw new RangeError('enough');
        }, utc);
        await expect(failing).rejects.toThrow('enough');
        expect(await source.count('accounts', undefined, utc)).toBe(2);
      });
    });

    it('does not undo what others wrote meanwhile', async () => {
      await withTables(open, tables, async (source) => {
        const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const failing = source.transaction(async (store) => {
          await store.update('accounts', idIs(1), { balance: 0 }, utc);
          begun.resolve();
          await goOn.promise;
          throw new RangeError('enough');
        }, utc);
        await begun.promise;
        const created = source.create('accounts', [{ id: 3, balance: 7 }], utc);
        goOn.resolve();
        await expect(failing).rejects.toThrow('enough');
        expect(await created).toHaveLength(1);
        expect((await source.list(balances, utc)).map(({ balance }) => balance)).toEqual([10, 0, 7]);
      });
    });

    it.each([
      ['', idIs(2)],
      [', and look at related records', { field: 'owners:id', operator: 'Equal', value: 1 } as const],
    ])('loses no update of many at once that check the old value%s', async (_what, chosen) => {
      await withTables(open, tables, async (source) => {
        await source.create('owners', [{ id: 1, account_id: 2 }], utc);
        const deposit = async () => {
          for (;;) {
            const [account] = await source.list({ ...balances, where: idIs(2) }, utc);
            const old = Number(account?.['balance']);
            const unchanged = { field: 'balance', operator: 'Equal', value: old } as const;
            const where = { aggregator: 'And', conditions: [chosen, unchanged] } as const;
            if ((await source.update('accounts', where, { balance: old + 1 }, utc)) === 1) return;
          }
        };
        await Promise.all(Array.from({ length: 8 }, deposit));
        expect((await source.list(balances, utc)).map(({ balance }) => balance)).toEqual([10, 8]);
      });
    });
  });
}
