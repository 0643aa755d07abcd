import { describe, expect, it } from 'vitest';
import type { VisibleCollection, VisibleField, VisibleRelation } from '#contracts/visible-schema';
import { appliedFilters, filtersOfIds, readFilters, withoutUnfilled } from '../../../src/console/grid/filter-tree.ts';
import { layRows, placeColumns, visibleColumns } from '../../../src/console/grid/grid-layout.ts';
import {
  cardColumns,
  listParameters,
  nextSort,
  readListState,
  shownColumns,
  writeColumns,
} from '../../../src/console/grid/list-state.ts';
import {
  isSelected,
  nothingSelected,
  selectionAttributes,
  sizeOf,
  toggled,
} from '../../../src/console/grid/selection.ts';
import { asTable, chosenRows } from '../../../src/console/list/copied-table.ts';
import { noteList, searchOfLast } from '../../../src/console/model/last-list.ts';

function field(name: string, more: Partial<VisibleField> = {}): VisibleField {
  return {
    name,
    type: 'String',
    isPrimaryKey: name === 'id',
    isReadOnly: false,
    isRequired: false,
    isNullable: true,
    isSortable: true,
    isGroupable: true,
    isExact: false,
    isComputed: false,
    foreignKeyOf: null,
    defaultValue: null,
    enumValues: null,
    tones: null,
    operators: [],
    validations: [],
    isFile: false,
    ...more,
  };
}

const customer: VisibleRelation = {
  name: 'customer',
  kind: 'ManyToOne',
  collection: 'customers',
  title: 'name',
  isReadOnly: false,
  isRequired: false,
  keys: ['customer_id'],
  inverse: 'orders',
};

const orders: VisibleCollection = {
  name: 'orders',
  revision: '1',
  rights: { browse: true, read: true, edit: true, add: true, delete: true, export: true },
  primaryKey: ['id'],
  title: 'ref',
  isReadOnly: false,
  isSearchable: true,
  isCountable: true,
  isScoped: false,
  hasSoftDeletes: false,
  fields: [
    field('id'),
    field('ref'),
    field('customer_id', { foreignKeyOf: 'customer' }),
    field('note, "x"'),
    field('data', { type: 'Json' }),
  ],
  relations: [customer],
  segments: [],
  actions: [],
  charts: [],
};

describe('the state of a list', () => {
  it('is read from the address, and what the address has besides is left out', () => {
    expect(readListState({ search: 'a', sort: '-ref', other: 'x', filters: '' })).toEqual({
      search: 'a',
      sort: '-ref',
    });
  });

  it('shows keys first, a relation in the place of its key, and no JSON unless somebody asks for it', () => {
    expect(shownColumns(undefined, orders).map(({ name }) => name)).toEqual(['id', 'ref', 'customer', 'note, "x"']);
    const columns = writeColumns(['data', 'note, "x"', 'gone']);
    expect(shownColumns(columns, orders).map(({ name }) => name)).toEqual(['data', 'note, "x"']);
  });

  it('heads a card by what names the record, with states and amounts before the others and keys last', () => {
    const fields = [...orders.fields, field('state', { type: 'Enum' }), field('total', { type: 'Number' })];
    const paid = { ...orders, fields };
    const namesOf = (columns: string | undefined, isChosen: boolean) =>
      cardColumns(shownColumns(columns, paid), paid, isChosen).map(({ name }) => name);
    expect(namesOf(undefined, false)).toEqual(['ref', 'state', 'total', 'customer', 'note, "x"', 'id']);
    expect(namesOf(writeColumns(['customer', 'total', 'id']), true)).toEqual(['ref', 'customer', 'total', 'id']);
  });

  it('sorts up, down and not at all, and by several columns', () => {
    expect(nextSort({}, 'ref', false)).toBe('ref');
    expect(nextSort({ sort: 'ref' }, 'ref', false)).toBe('-ref');
    expect(nextSort({ sort: '-ref' }, 'ref', false)).toBeUndefined();
    expect(nextSort({ sort: 'ref' }, 'customer:name', true)).toBe('ref,customer:name');
    expect(nextSort({ sort: 'ref,customer:name' }, 'ref', true)).toBe('-ref,customer:name');
    expect(nextSort({ sort: 'total,-ref,customer:name' }, 'ref', true)).toBe('total,customer:name');
    expect(nextSort({ sort: '-ref' }, 'ref', true)).toBeUndefined();
    expect(nextSort({ sort: 'ref,customer:name' }, 'ref', false)).toBe('-ref');
    expect(listParameters({ sort: 'ref,-customer:name' }, orders)['sort']).toBe('ref,-customer.name');
  });

  it('case 17: leaves a condition out of the request when its field is gone, and applies the rest', () => {
    const known = { field: 'ref', operator: 'equal', value: 'a' };
    const tree = { aggregator: 'and', conditions: [known, { field: 'gone', operator: 'present' }] };
    expect(appliedFilters(JSON.stringify(tree), orders)).toBe(
      JSON.stringify({ aggregator: 'and', conditions: [known] }),
    );
  });

  it('case 18: leaves out filters that cannot be read, and does not blank the list', () => {
    expect(appliedFilters('{"field":', orders)).toBeUndefined();
    expect(() => readFilters('{"aggregator":"xor","conditions":[]}')).toThrow(SyntaxError);
  });
});

describe('a link to a list', () => {
  it('finds records by their ids, where the key has one part', () => {
    expect(filtersOfIds(orders, ['1', '7'])).toBe(
      '{"aggregator":"and","conditions":[{"field":"id","operator":"in","value":["1","7"]}]}',
    );
    expect(filtersOfIds({ primaryKey: ['order_id', 'line'] }, ['1|2'])).toBeUndefined();
  });

  it('leads back to the list that somebody came from, and to no list of another collection', () => {
    noteList('orders', ['1'], { search: 'paid', sort: '-total' });
    expect(searchOfLast('orders')).toEqual({ search: 'paid', sort: '-total' });
    expect(searchOfLast('customers')).toEqual({});
  });
});

describe('the layout of the grid', () => {
  it('shows the rows in sight and some beyond', () => {
    const { first, last, height } = layRows(20_000, 36, { scrollTop: 3_600, height: 720 });
    expect([first, last, height]).toEqual([92, 128, 720_000]);
  });

  it('case 28: reaches the last of ten million rows, though no element is that high', () => {
    const view = 720;
    const { height } = layRows(10_000_000, 36, { scrollTop: 0, height: view });
    expect(height).toBeLessThan(33_554_428);
    const end = layRows(10_000_000, 36, { scrollTop: height - view, height: view });
    expect(end.last).toBe(9_999_999);
    expect(end.topOf(9_999_999) + 36).toBeCloseTo(height, 0);
  });

  it('says where to scroll for a row that is out of sight, and nothing for one that is seen', () => {
    const layout = layRows(1_000, 36, { scrollTop: 360, height: 360 });
    expect([layout.scrollTo(12), layout.scrollTo(0), layout.scrollTo(20)]).toEqual([undefined, 0, 396]);
  });

  it('case 27: keeps the first of 200 columns in sight, and only those near it', () => {
    const columns = Array.from({ length: 200 }, (_, index) => ({ name: `c${index}`, field: field(`c${index}`) }));
    const placed = placeColumns(columns, { c1: 60 });
    const seen = visibleColumns(placed, 10_000, 1_000).map(({ column }) => column.name);
    expect(seen[0]).toBe('c0');
    expect(seen.length).toBeLessThan(15);
    expect(placed[2]?.left).toBe(250);
  });
});

describe('a selection', () => {
  it('case 24: holds these records, or all that match but some', () => {
    const these = toggled(toggled(nothingSelected, '1'), '2');
    expect([isSelected(these, '1'), isSelected(these, '3'), sizeOf(these, 100)]).toEqual([true, false, 2]);
    const all = ['1', '2', '3'].reduce(toggled, { kind: 'all', without: new Set<string>() });
    expect([isSelected(all, '1'), isSelected(all, '9'), sizeOf(all, 12_340)]).toEqual([false, true, 12_337]);
    expect(selectionAttributes(all, { search: 'x' })).toEqual({
      ids: [],
      all_records: true,
      all_records_ids_excluded: ['1', '2', '3'],
      all_records_subset_query: { search: 'x' },
    });
  });

  it('asks for nothing where nobody has given a value yet', () => {
    const begun = { field: 'status', operator: 'equal' };
    const blank = { field: 'note', operator: 'blank', value: null };
    const inner = { aggregator: 'or', conditions: [begun] } as const;
    expect(withoutUnfilled({ aggregator: 'and', conditions: [begun, blank, inner] }).conditions).toEqual([blank]);
  });
});

describe('a copied table', () => {
  const row = (id: string, values: object, related: object | null) => ({
    id,
    values: { id, ...values },
    related: { customer: related && { id: '7', collection: 'customers', values: { ...related } } },
  });
  const rows = [
    row('1', { ref: '=1+1', 'note, "x"': 'two\nlines' }, { name: 'Ada' }),
    row('2', { ref: '-5', 'note, "x"': null }, {}),
    row('3', { ref: 'A-3' }, null),
  ];

  it('has the columns of the list, the title of a related record or else its key, and no formula', () => {
    expect(asTable(rows, shownColumns(undefined, orders)).split('\n')).toEqual([
      'id\tref\tcustomer\tnote, "x"',
      "1\t'=1+1\tAda\ttwo lines",
      '2\t-5\t7\t',
      '3\tA-3\t\t',
    ]);
  });

  it('asks for nothing where all chosen rows are loaded', async () => {
    const source = {
      agent: { environment: 'none' },
      collection: 'orders',
      path: ['orders'],
      parameters: {},
      paths: [],
    };
    const these = { kind: 'these', ids: new Set(['3', '1']) } as const;
    expect(await chosenRows(source, { loaded: rows }, these, 2)).toEqual([rows[0], rows[2]]);
  });
});
