import { describe, expect, it } from 'vitest';
import type { CompiledCollection, CompiledModel } from '#runtime/model/compiled-model';
import { recordDocument, recordListDocument } from '#runtime/surfaces/rest/render/json-api';

const odd = 'lines "of" \\ é';

/** Orders belong to a customer, who belongs to a country; both have many of something. */
function shop(): { model: CompiledModel; orders: CompiledCollection } {
  const columns = ['id', 'ref', 'label'].map((name) => ({ kind: 'column', name }));
  const collection = (name: string, relations: readonly { kind: string; name: string; foreignCollection?: string }[]) =>
    ({
      name,
      primaryKey: ['id'],
      fields: new Map([...columns, ...relations].map((field) => [field.name, field])),
    }) as unknown as CompiledCollection;
  const toOne = (name: string, foreignCollection: string) => ({ kind: 'ManyToOne', name, foreignCollection });
  const orders = collection('orders', [
    toOne('customer', 'customers'),
    toOne('payer', 'customers'),
    { kind: 'OneToMany', name: odd },
  ]);
  const customers = collection('customers', [
    { kind: 'OneToOne', name: 'country', foreignCollection: 'countries' },
    { kind: 'ManyToMany', name: 'orders' },
  ]);
  const all = [orders, customers, collection('countries', [])];
  return { model: { collections: new Map(all.map((one) => [one.name, one])) } as unknown as CompiledModel, orders };
}

const prefix = '/"service"';
const allLinks = { prefix, areLeftOut: false };
const parse = (document: { readonly text: string }) => JSON.parse(document.text) as unknown;
const links = (type: string, id: string, relation: string) => ({
  links: { related: { href: `${prefix}/${type}/${id}/relationships/${relation}` } },
});

describe('a JSON:API document', () => {
  it('includes what its records refer to, each once, the innermost first', () => {
    const { model, orders } = shop();
    const country = { id: 'FR', label: 'France' };
    const zed = { id: 1, ref: 'Zed', country };
    const records = [
      { id: 7, ref: 'A', customer: zed, payer: null },
      { id: 8, ref: undefined, customer: { ...zed, ref: 'read again' }, payer: zed },
    ];
    const linked = { data: { type: 'customers', id: '1' } };
    expect(parse(recordListDocument(model, orders, records, allLinks, { page: 1 }))).toEqual({
      jsonapi: { version: '1.0' },
      data: [
        {
          type: 'orders',
          id: '7',
          attributes: { id: 7, ref: 'A' },
          relationships: { customer: linked, payer: { data: null }, [odd]: links('orders', '7', odd) },
        },
        {
          type: 'orders',
          id: '8',
          attributes: { id: 8 },
          relationships: { customer: linked, payer: linked, [odd]: links('orders', '8', odd) },
        },
      ],
      included: [
        { type: 'countries', id: 'FR', attributes: country },
        {
          type: 'customers',
          id: '1',
          attributes: { id: 1, ref: 'Zed' },
          relationships: {
            country: { data: { type: 'countries', id: 'FR' } },
            orders: links('customers', '1', 'orders'),
          },
        },
      ],
      meta: { page: 1 },
    });
  });

  it('keeps odd names, ids and values as they are', () => {
    const { model, orders } = shop();
    const record = JSON.parse('{"id": "a/\\"b|ü", "__proto__": {"x": "\\u2028"}, "ref": null}') as { id: string };
    const document = recordDocument(model, orders, record, allLinks);
    expect(document.text).toContain('"attributes":{"id":"a/\\"b|ü","__proto__":{"x":"\u2028"},"ref":null}');
    expect(parse(document)).toMatchObject({
      data: { id: 'a/"b|ü', relationships: { [odd]: links('orders', 'a%2F%22b%7C%C3%BC', odd) } },
    });
    const withRelation = { ...record, ['__proto__']: 1, customer: null };
    expect(recordDocument(model, orders, withRelation, allLinks).text).toContain('"customer":{"data":null}');
  });

  it('says that there is no record', () => {
    const { model, orders } = shop();
    expect(parse(recordDocument(model, orders, null, allLinks))).toEqual({ jsonapi: { version: '1.0' }, data: null });
    expect(parse(recordListDocument(model, orders, [], allLinks))).toEqual({ jsonapi: { version: '1.0' }, data: [] });
  });
});
