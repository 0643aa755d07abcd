import { describe, expect, it } from 'vitest';
import { modelForRole } from '#runtime/model/model-for-role';
import { modelDigest } from '#runtime/schema/model-digest';
import { wholeCollection } from '#runtime/schema/whole-collection';
import { compiled, customizations, looksAtUntouchedTable, relatedTables } from '../../../helpers/customized-models.ts';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

/** Everything that is to be seen of a model. */
function descriptionOf(model: Awaited<ReturnType<typeof compiled>>): string {
  const described = [...model.collections.values()].map((collection) => wholeCollection(model, collection, '/service'));
  return JSON.stringify(described, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

describe('the digest of a model', () => {
  it('differs wherever something else is to be seen', async () => {
    const source = await temporaryDataSource(relatedTables);
    const seen = new Map<string, string>();
    for (const [name, customize] of Object.entries(customizations)) {
      const model = await compiled(source, customize);
      const description = descriptionOf(model);
      expect([...seen.keys()], name).not.toContain(description);
      const digest = modelDigest(model, '/service');
      expect([...seen.values()], name).not.toContain(digest);
      seen.set(description, digest);
    }
  });

  it('differs where the rights of a role close the keys that links are made of', async () => {
    const keys = { originKey: 'order_id', foreignKey: 'tag_id' };
    const whole = await compiled(await temporaryDataSource(relatedTables), (agent) =>
      agent.customizeCollection('orders', (orders) => orders.addManyToManyRelation('marked', 'tags', 'marks', keys)),
    );
    const closed = (collection: string, field: string) => {
      const rule = new Map([[field, { read: true, filter: true, write: false }]]);
      const rules = [{ fields: rule, reads: true, edits: true, adds: true }];
      return modelForRole(whole, { key: `${collection}:${field}`, collections: new Map([[collection, rules]]) });
    };
    const models = [whole, closed('marks', 'tag_id'), closed('orders', 'customer_id'), closed('orders', 'total')];
    expect(new Set(models.map(descriptionOf)).size).toBe(models.length);
    expect(new Set(models.map((model) => modelDigest(model, '/service'))).size).toBe(models.length);
  });

  it('is the same whichever models of the tables came before it', async () => {
    const source = await temporaryDataSource(relatedTables);
    for (const customize of [...Object.values(customizations), ...Object.values(customizations).reverse()]) {
      const afresh = modelDigest(await compiled(await temporaryDataSource(relatedTables), customize), '/service');
      expect(modelDigest(await compiled(source, customize), '/service')).toBe(afresh);
    }
  });

  it('looks only once at a table that nobody customizes', async () => {
    const looks = await looksAtUntouchedTable('enumValues', (model) => modelDigest(model, '/service'));
    expect(looks).toEqual([1, 1, 1, 1, 1, 1]);
  });
});
