import { describe, expect, it } from 'vitest';
import type { CompiledModel } from '#runtime/model/compiled-model';
import { buildSchemaDocument } from '#runtime/schema/schema-document';
import { schemaHash } from '#runtime/schema/schema-hash';
import { compiled, customizations, looksAtUntouchedTable, relatedTables } from '../../../helpers/customized-models.ts';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

const prefix = '/service';

/** What a platform gets of a model. */
function documentOf(model: CompiledModel): string {
  const { collections, meta } = buildSchemaDocument(model, { prefix, version: '1.0.0' });
  return JSON.stringify([collections, meta], (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}

/** The model in which the orders have a text for the key of their customer, and customers are as they were. */
function withTextKey(model: CompiledModel | undefined): CompiledModel {
  const orders = model?.collections.get('orders');
  const key = orders?.fields.get('customer_id');
  if (!model || !orders || key?.kind !== 'column') throw new Error('The model has orders of customers.');
  const fields = new Map(orders.fields).set('customer_id', { ...key, type: 'String', isReadOnly: true });
  return { ...model, collections: new Map(model.collections).set('orders', { ...orders, fields }) };
}

describe('the hash of a schema', () => {
  it('differs exactly where the document differs, whichever models of the tables came before', async () => {
    const source = await temporaryDataSource(relatedTables);
    const hashes = new Map<string, string>();
    for (const customize of [...Object.values(customizations), ...Object.values(customizations).reverse()]) {
      const model = await compiled(source, customize);
      const document = documentOf(model);
      const hash = schemaHash(model, prefix, []);
      expect(hash).toBe(hashes.get(document) ?? hash);
      hashes.set(document, hash);
      const afresh = await compiled(await temporaryDataSource(relatedTables), customize);
      expect(schemaHash(afresh, prefix, [])).toBe(hash);
    }
    // A chart, a count and the related rows of a link show in no document; everything else does.
    expect(new Set(hashes.values()).size).toBe(hashes.size);
    expect(hashes.size).toBeGreaterThan(9);
  });

  it('differs by the prefix of routes, by masks and by the origins that pages may call', async () => {
    const source = await temporaryDataSource(relatedTables);
    const plain = await compiled(source, () => undefined);
    const masked = await compiled(source, (agent) => agent.addMask('stars', () => '***'));
    const acting = await compiled(source, customizations['an action'] ?? (() => undefined));
    const hashes = [
      schemaHash(plain, prefix, []),
      schemaHash(plain, prefix, ['https://pages.example']),
      schemaHash(masked, prefix, []),
      schemaHash(acting, prefix, []),
      schemaHash(acting, '/other', []),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('follows the key of another table that a relation shows', async () => {
    const source = await temporaryDataSource(relatedTables);
    schemaHash(await compiled(source, () => undefined), prefix, []);
    const fresh = await temporaryDataSource(relatedTables);
    const [ofShared, ofFresh] = await Promise.all([source, fresh].map((tables) => compiled(tables, () => undefined)));
    expect(schemaHash(withTextKey(ofShared), prefix, [])).toBe(schemaHash(withTextKey(ofFresh), prefix, []));
  });

  it('looks only once at a table that nobody customizes', async () => {
    const looks = await looksAtUntouchedTable('defaultValue', (model) => schemaHash(model, prefix, []));
    expect(looks).toEqual([1, 1, 1, 1, 1, 1]);
  });
});
