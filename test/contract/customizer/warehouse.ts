import type { NeutralTable } from '../data-source/tables.ts';

const north = '0b5a1b1e-6a8f-4c55-9d0b-3f6f3a1d2c01';
const south = '0b5a1b1e-6a8f-4c55-9d0b-3f6f3a1d2c02';

/** Two houses, and one that is not there. */
export const houses = [north, south, '0b5a1b1e-6a8f-4c55-9d0b-3f6f3a1d2c03'];

const toShelves = (house: string, number: string) => ({
  columns: [house, number],
  table: 'shelves',
  foreignColumns: ['house', 'number'],
});

/** Shelves are known by a house and a number. */
const shelves: NeutralTable = {
  name: 'shelves',
  columns: [
    { name: 'house', type: 'uuid' },
    { name: 'number', type: 'integer' },
    { name: 'label', type: 'text' },
    { name: 'keeper_id', type: 'integer' },
  ],
  primaryKey: ['house', 'number'],
  foreignKeys: [{ columns: ['keeper_id'], table: 'customers', foreignColumns: ['id'] }],
  rows: [
    { house: north, number: 1, label: 'A', keeper_id: 1 },
    { house: north, number: 2, label: null, keeper_id: 3 },
    { house: south, number: 1, label: 'B', keeper_id: 1 },
    { house: south, number: 3, label: 'A', keeper_id: null },
  ],
};

/** A box of an order on a shelf. */
const boxes: NeutralTable = {
  name: 'boxes',
  columns: [
    { name: 'id', type: 'integer', isAuto: true },
    { name: 'content', type: 'text' },
    { name: 'order_id', type: 'integer' },
    { name: 'house', type: 'uuid' },
    { name: 'number', type: 'integer' },
  ],
  primaryKey: ['id'],
  foreignKeys: [{ columns: ['order_id'], table: 'orders', foreignColumns: ['id'] }, toShelves('house', 'number')],
  rows: [
    { id: 1, content: 'open', order_id: 1, house: north, number: 1 },
    { id: 2, content: 'paid', order_id: 1, house: north, number: 2 },
    { id: 3, content: null, order_id: 2, house: south, number: 1 },
    { id: 4, content: 'p', order_id: null, house: north, number: 1 },
    { id: 5, content: '', order_id: 3, house: north, number: null },
    { id: 6, content: 'open', order_id: 4, house: null, number: null },
  ],
};

/** Orders and the shelves they lie on. */
const stocks: NeutralTable = {
  name: 'stocks',
  columns: [
    { name: 'order_id', type: 'integer' },
    { name: 'house', type: 'uuid' },
    { name: 'number', type: 'integer' },
  ],
  primaryKey: ['order_id', 'house', 'number'],
  foreignKeys: [{ columns: ['order_id'], table: 'orders', foreignColumns: ['id'] }, toShelves('house', 'number')],
  rows: [
    { order_id: 1, house: north, number: 1 },
    { order_id: 1, house: south, number: 1 },
    { order_id: 2, house: north, number: 2 },
    { order_id: 4, house: south, number: 3 },
    { order_id: 4, house: north, number: 1 },
  ],
};

/** Shelves and those one can reach from them. */
const steps: NeutralTable = {
  name: 'steps',
  columns: [
    { name: 'house', type: 'uuid' },
    { name: 'number', type: 'integer' },
    { name: 'next_house', type: 'uuid' },
    { name: 'next_number', type: 'integer' },
  ],
  primaryKey: ['house', 'number', 'next_house', 'next_number'],
  foreignKeys: [toShelves('house', 'number'), toShelves('next_house', 'next_number')],
  rows: [
    { house: north, number: 1, next_house: north, next_number: 2 },
    { house: north, number: 1, next_house: south, next_number: 1 },
    { house: south, number: 1, next_house: south, next_number: 1 },
    { house: south, number: 3, next_house: north, next_number: 1 },
  ],
};

/** Tables beside the shop whose keys have several parts; relations of every kind lead to and from them. */
export const warehouse: readonly NeutralTable[] = [shelves, boxes, stocks, steps];
