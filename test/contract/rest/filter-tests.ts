import { describe, expect, it } from 'vitest';
import { expectError, idsOf } from './expectations.ts';
import type { Client } from './rest-suite.ts';

const filters = (tree: unknown) => `filters=${encodeURIComponent(JSON.stringify(tree))}`;
const where = (field: string, operator: string, value?: unknown) => filters({ field, operator, value });

export function filterTests({ ask }: Client): void {
  describe('filters', () => {
    it('#12 find nothing with an empty "or" and everything with an empty "and"', async () => {
      expect(idsOf(await ask(`/orders?${filters({ aggregator: 'or', conditions: [] })}`))).toEqual([]);
      expect(idsOf(await ask(`/orders?${filters({ aggregator: 'and', conditions: [] })}`))).toHaveLength(4);
    });

    it('#13 take a text for a list where a list is due', async () => {
      expect(idsOf(await ask(`/orders?${where('id', 'in', '1, 3')}&sort=id`))).toEqual(['1', '3']);
    });

    it('#14 refuse null where it can equal nothing', async () => {
      expectError(await ask(`/orders?${where('ref', 'not_equal', null)}`), 400, 'ValidationError');
    });

    it('#15 refuse a day where an instant is due', async () => {
      expectError(await ask(`/orders?${where('placed_at', 'before', '2024-04-15')}`), 400, 'ValidationError');
      expect(idsOf(await ask(`/orders?${where('placed_at', 'before', '2024-04-15T00:00:00.000Z')}`))).toEqual(['1']);
    });

    it('take lists of instants', async () => {
      const placed = await ask('/orders?sort=id&fields[orders]=placed_at');
      const instant = (placed.json as { data: { attributes: { placed_at: string } }[] }).data[0]?.attributes.placed_at;
      expect(idsOf(await ask(`/orders?${where('placed_at', 'in', [instant])}`))).toEqual(['1']);
      expect(idsOf(await ask(`/orders?${where('placed_at', 'not_in', [instant])}`))).not.toContain('1');
      expectError(await ask(`/orders?${where('placed_at', 'in', ['2024-04-15'])}`), 400, 'ValidationError');
    });

    it('follow relations, and do not filter when they are empty', async () => {
      expect(idsOf(await ask(`/orders?${where('customer:country', 'equal', 'DE')}`))).toEqual(['3']);
      expect(idsOf(await ask('/orders?filters='))).toHaveLength(4);
      expectError(await ask('/orders?filters=null'), 400);
      expectError(await ask('/orders?filters={'), 400);
    });

    it('#18 mark no attribute where a search has matched a relation only', async () => {
      const related = await ask('/orders?search=zed&searchExtended=true&sort=id');
      expect(idsOf(related)).toEqual(['1', '2']);
      expect(related.json).not.toHaveProperty('meta');
      expect((await ask('/orders?search=a-4')).json).toMatchObject({
        data: [{ id: '4' }],
        meta: { decorators: { 0: { id: '4', search: ['ref'] } } },
      });
    });
  });
}
