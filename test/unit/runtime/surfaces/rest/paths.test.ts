import { describe, expect, it } from 'vitest';
import { type CompiledCollection, findCollection, type ModelView } from '#runtime/model/compiled-model';
import { encodeCollectionName } from '#runtime/surfaces/rest/collection-in-path';

function modelOf(...names: string[]): ModelView {
  const collections = names.map((name) => [name, { name } as CompiledCollection] as const);
  return { collections: new Map(collections) };
}

describe('collection names with a slash in a path', () => {
  const namesWithSlash = ['a/b/c', 'a/b', 'é/ü'];

  it.each([
    ['/service/a/b/4', '/service/a%2Fb/4'],
    ['/service/a/b?x=a/b', '/service/a%2Fb?x=a/b'],
    ['/service/_charts/a/b/Lines', '/service/_charts/a%2Fb/Lines'],
    ['/service/a/b/c/count', '/service/a%2Fb%2Fc/count'],
    ['/service/A/B/4', '/service/a%2Fb/4'],
    ['/service/_actions/a/b/0/run', '/service/_actions/a%2Fb/0/run'],
    ['/service/%C3%A9/%C3%BC/1', '/service/%C3%A9%2F%C3%BC/1'],
    ['/service/a/bc', '/service/a/bc'],
    ['/service/a%2Fb/4', '/service/a%2Fb/4'],
    ['/other/a/b/4', '/other/a/b/4'],
  ])('turn %s into %s', (url, expected) => {
    expect(encodeCollectionName(url, '/service', namesWithSlash)).toBe(expected);
  });
});

describe('finding the collection of a path', () => {
  it('prefers the exact name, and takes another case only where it is clear', () => {
    const model = modelOf('orders', 'Orders', 'Lines');
    expect(findCollection(model, 'Orders')?.name).toBe('Orders');
    expect(findCollection(model, 'LINES')?.name).toBe('Lines');
    expect(findCollection(model, 'ORDERS')).toBeUndefined();
    expect(findCollection(model, 'nope')).toBeUndefined();
    expect(findCollection(model, undefined)).toBeUndefined();
  });
});
