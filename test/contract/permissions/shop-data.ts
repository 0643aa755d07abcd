import type { RecordData } from '#runtime/query/record-query';
import type { NeutralColumn, NeutralTable } from '../data-source/tables.ts';

export const names = ['customers', 'orders', 'lines'] as const;
export type Name = (typeof names)[number];
export type Shop = Readonly<Record<Name, readonly RecordData[]>>;

const id: NeutralColumn = { name: 'id', type: 'integer', isAuto: true };
const columns: Readonly<Record<Name, readonly NeutralColumn[]>> = {
  customers: [id, { name: 'name', type: 'text' }, { name: 'city', type: 'text' }],
  orders: [
    id,
    { name: 'reference', type: 'text' },
    { name: 'status', type: 'text' },
    { name: 'total', type: 'integer' },
    { name: 'customer_id', type: 'integer' },
  ],
  lines: [
    id,
    { name: 'sku', type: 'text' },
    { name: 'quantity', type: 'integer' },
    { name: 'order_id', type: 'integer' },
  ],
};
const foreignKeys = {
  customers: [],
  orders: [{ columns: ['customer_id'], table: 'customers', foreignColumns: ['id'] }],
  lines: [{ columns: ['order_id'], table: 'orders', foreignColumns: ['id'] }],
};

/** Columns whose values say something, as opposed to which records belong together. */
export const tellingColumns: Readonly<Record<Name, readonly string[]>> = {
  customers: ['name', 'city'],
  orders: ['reference', 'status', 'total'],
  lines: ['sku', 'quantity'],
};

/** Where relations lead. */
export const relations: Readonly<Record<Name, Readonly<Record<string, Name>>>> = {
  customers: { orders: 'orders' },
  orders: { customer: 'customers', lines: 'lines' },
  lines: { order: 'orders' },
};

export const shop: Shop = {
  customers: [
    { id: 1, name: 'Ada', city: 'Paris' },
    { id: 2, name: 'Bob', city: 'Lyon' },
    { id: 3, name: 'Cleo', city: 'Paris' },
  ],
  orders: [
    { id: 1, reference: 'A-1', status: 'paid', total: 10, customer_id: 1 },
    { id: 2, reference: 'A-2', status: 'open', total: 20, customer_id: 1 },
    { id: 3, reference: 'B-1', status: 'paid', total: 10, customer_id: 2 },
    { id: 4, reference: 'C-1', status: 'open', total: null, customer_id: null },
  ],
  lines: [
    { id: 1, sku: 'red', quantity: 1, order_id: 1 },
    { id: 2, sku: 'blue', quantity: 3, order_id: 1 },
    { id: 3, sku: 'red', quantity: 3, order_id: 3 },
  ],
};

export function tablesOf(data: Shop): readonly NeutralTable[] {
  return names.map((name) => ({
    name,
    columns: columns[name],
    primaryKey: ['id'],
    foreignKeys: foreignKeys[name],
    rows: data[name],
  }));
}
