import { describe, expect, it } from 'vitest';
import type { CompiledField } from '#runtime/model/compiled-model';
import { isOn, lookupInQuery, lookupInSubset, parseTimezone } from '#runtime/surfaces/request/query-parameters';
import { parsePage, parseSort } from '#runtime/surfaces/rest/parse/list-parameters';

const invalid = expect.objectContaining({ code: 'REQUEST_INVALID' });

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('pages', () => {
  it.each([
    [{}, { skip: 0, limit: 15 }],
    [
      { 'page[size]': '10', 'page[number]': '3' },
      { skip: 20, limit: 10 },
    ],
    [
      { 'page[size]': '2.9', 'page[number]': '1x' },
      { skip: 0, limit: 2 },
    ],
  ])('reads %o', (query, page) => {
    expect(parsePage(lookupInQuery(query))).toEqual(page);
  });

  it.each([{ 'page[size]': '0' }, { 'page[number]': '-1' }, { 'page[size]': 'x' }, { 'page[number]': '9'.repeat(40) }])(
    'refuses %o',
    (query) => {
      expect(thrownBy(() => parsePage(lookupInQuery(query)))).toEqual(invalid);
    },
  );
});

describe('sorts', () => {
  const toOne = (name: string): [string, CompiledField] => [
    name,
    { kind: 'ManyToOne', name, foreignCollection: 'others', join: [] },
  ];
  const collection = { fields: new Map(['author', 'sales', 'sales.region'].map(toOne)) };

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['-price', [{ field: 'price', ascending: false }]],
    [
      'author.name,-author.country:name',
      [
        { field: 'author:name', ascending: true },
        { field: 'author:country:name', ascending: false },
      ],
    ],
    ['sales.total', [{ field: 'sales:total', ascending: true }]],
    ['sales.region.name', [{ field: 'sales.region:name', ascending: true }]],
    ['-sales.region:name', [{ field: 'sales.region:name', ascending: false }]],
  ])('reads %o', (text, sort) => {
    expect(parseSort(collection, text)).toEqual(sort);
  });

  it.each(['-', 'a,,b', ','])('refuses %o', (text) => {
    expect(thrownBy(() => parseSort(collection, text))).toEqual(invalid);
  });
});

describe('time zones', () => {
  it.each(['Europe/Paris', 'UTC', 'Pacific/Auckland'])('knows %s', (name) => {
    expect(parseTimezone(name)).toBe(name);
  });

  it('gives a zone one spelling, however it is written', () => {
    expect(['europe/paris', 'EUROPE/PARIS', 'utc'].map(parseTimezone)).toEqual(['Europe/Paris', 'Europe/Paris', 'UTC']);
    expect(['asia/kolkata', 'ASIA/Kolkata'].map(parseTimezone)).toEqual(['asia/kolkata', 'asia/kolkata']);
  });

  it.each([undefined, '', 'Mars/Base', '../etc/passwd'])('refuses %o', (name) => {
    expect(thrownBy(() => parseTimezone(name))).toEqual(invalid);
  });
});

describe('looking parameters up', () => {
  it('finds own names only', () => {
    expect(lookupInQuery({ a: '1' })('a')).toBe('1');
    expect(lookupInQuery({})('constructor')).toBeUndefined();
  });

  it('prefers the selection in the body, where it says something', () => {
    const lookup = lookupInSubset({ search: 'body', segment: null }, { search: 'url', segment: 'url', sort: 'url' });
    expect([lookup('search'), lookup('segment'), lookup('sort')]).toEqual(['body', 'url', 'url']);
  });
});

describe('switches', () => {
  it.each([undefined, null, '', '0', 0, 'false', 'False', 'FALSE', false])('are off: %o', (value) => {
    expect(isOn(value)).toBe(false);
  });

  it.each(['true', '1', 1, true, 'yes'])('are on: %o', (value) => {
    expect(isOn(value)).toBe(true);
  });
});
