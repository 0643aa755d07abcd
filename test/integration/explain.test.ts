import { describe, expect, it } from 'vitest';
import type { Agent, ExplainedQuery } from '#runtime/index';
import { startShopAgent } from '../helpers/shop-agent.ts';

const filter = (field: string, operator: string, value?: unknown) =>
  `filters=${encodeURIComponent(JSON.stringify({ field, operator, value }))}`;

/** Place and text of each step. */
const stepsOf = ({ steps }: ExplainedQuery) => steps.map(({ place, what }) => `${place}: ${what}`);

describe('explaining a request', () => {
  it('shows that a plain one is the database’s only, with its statement', async () => {
    const { runtime } = await startShopAgent();
    const explained = await runtime.explain(
      'orders',
      `${filter('customer:country', 'equal', 'FR')}&sort=-ref&page[size]=5`,
    );
    expect(stepsOf(explained)).toEqual([
      'database: Reads "orders", where customer:country Equal "FR", by ref descending, id descending, records 1 to 5.',
    ]);
    expect(explained.statement?.sql).toContain('left join "customers"');
    expect(explained.statement?.steps.length).toBeGreaterThan(0);
  });

  it('says what the agent does, why, and what bounds it', async () => {
    const { runtime } = await startShopAgent((agent: Agent) => {
      agent.customizeCollection('orders', (orders) =>
        orders
          .addField('shout', {
            columnType: 'String',
            dependencies: ['ref'],
            getValues: (records) => records.map(({ ref }) => `${ref}!`),
          })
          .emulateFieldOperator('shout', 'Equal')
          .emulateFieldSorting('shout'),
      );
    });
    const explained = await runtime.explain(
      'orders',
      `${filter('shout', 'equal', 'A-1!')}&sort=-shout&fields[orders]=shout`,
    );
    expect(stepsOf(explained)).toEqual([
      'database: Reads "orders".',
      'agent: Keeps the records where shout Equal "A-1!".',
      'agent: Sorts all of them by shout descending, id descending, then takes the page.',
      'database: Reads the fields of those records, by id.',
      'agent: Computes "shout" from ref, one call for all distinct combinations.',
    ]);
    expect(explained.steps[1]).toMatchObject({
      why: '"shout" is computed in JavaScript',
      bound: 'at most 100000 records are read',
    });
  });

  it('refuses what the request itself would be refused for', async () => {
    const { runtime } = await startShopAgent();
    await expect(runtime.explain('ordrs', '')).rejects.toMatchObject({ code: 'REQUEST_NOT_FOUND' });
    await expect(runtime.explain('orders', 'sort=nope')).rejects.toMatchObject({ code: 'REQUEST_FIELD_UNKNOWN' });
  });

  it('refuses a parameter that no list request has', async () => {
    const { runtime } = await startShopAgent();
    const misspelt = runtime.explain('orders', 'filter={"field":"ref"}');
    await expect(misspelt).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      message: expect.stringContaining('"filter"'),
    });
    await expect(runtime.explain('orders', '{"field":"ref"}')).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    await expect(runtime.explain('orders', '?timezone=Europe/Paris&page[number]=2')).resolves.toBeDefined();
  });
});
