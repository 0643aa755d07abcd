import type { StoreRow } from './attacked-store.ts';
import { provedColumns } from './proved-columns.ts';

export interface Mutation {
  readonly kind: string;
  readonly statements: readonly string[];
}

/** The rows of all tables, by table. */
export type Contents = Readonly<Record<string, readonly StoreRow[]>>;

/** A whole number from 0 to below `bound`, the same ones for the same seed (mulberry32). */
export type Draw = (bound: number) => number;

export function drawsOf(seed: number): Draw {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * bound);
  };
}

type Kind = (contents: Contents, table: string, draw: Draw) => readonly string[] | undefined;

const keys: Readonly<Record<string, readonly string[]>> = {
  audit_chains: ['id'],
  audit_months: ['month'],
  audit_rows: ['chain_id', 'sequence'],
  audit_records: ['chain_id', 'record_id', 'sequence', 'collection'],
  audit_outcomes: ['chain_id', 'sequence'],
  audit_values: ['chain_id', 'sequence', 'place'],
  audit_checkpoints: ['chain_id', 'size', 'at'],
  audit_segments: ['chain_id', 'month'],
  audit_nodes: ['chain_id', 'month', 'level', 'position'],
  audit_cosignatures: ['chain_id', 'month', 'cosigner'],
  audit_register: ['sequence'],
  audit_register_checkpoints: ['size', 'at'],
  audit_register_cosignatures: ['project_id', 'cosigner'],
  projects: ['id'],
  environments: ['id'],
};

const kinds: Readonly<Record<string, Kind>> = {
  change: (contents, table, draw) => {
    const [row, column] = [pick(contents[table], draw), pick(provedColumns[table], draw)];
    if (!row || column === undefined) return undefined;
    return [update(table, row, { [column]: otherValue(contents, table, column, row, draw) })];
  },
  delete: (contents, table, draw) => {
    const row = pick(contents[table], draw);
    return row && [`delete from ${table} where ${where(table, row)}`];
  },
  insert: (contents, table, draw) => {
    const row = pick(contents[table], draw);
    if (!row) return undefined;
    const columns = keys[table] ?? [];
    const changed = Object.fromEntries(
      [...columns, pick(provedColumns[table], draw) ?? 'id'].map((column) => [
        column,
        otherValue(contents, table, column, row, draw),
      ]),
    );
    return [insert(table, { ...row, ...changed })];
  },
  duplicate: (contents, table, draw) => {
    const row = pick(contents[table], draw);
    const column = pick(keys[table], draw);
    if (!row || column === undefined) return undefined;
    return [insert(table, { ...row, [column]: otherValue(contents, table, column, row, draw) })];
  },
  swap: (contents, table, draw) => {
    const [one, other] = [pick(contents[table], draw), pick(contents[table], draw)];
    const column = pick(provedColumns[table], draw);
    if (!one || !other || column === undefined || one[column] === other[column]) return undefined;
    return exchange(table, one, other, [column]);
  },
  reorder: (contents, table, draw) => {
    const [one, other] = [pick(contents[table], draw), pick(contents[table], draw)];
    const order = keys[table] ?? [];
    if (!one || !other || one === other) return undefined;
    // Everything but the place, so that the one stands where the other stood.
    return exchange(
      table,
      one,
      other,
      Object.keys(one).filter((column) => !order.includes(column)),
    );
  },
  truncate: (contents, _table, draw) => {
    const chain = pick(contents['audit_chains'], draw);
    if (!chain) return undefined;
    const rows = (contents['audit_rows'] ?? []).filter((row) => row['chain_id'] === chain['id']);
    const size = Number(chain['first_sequence']) + draw(Math.max(1, rows.length - 1));
    const last = rows.find((row) => row['sequence'] === size);
    if (!last) return undefined;
    const id = literal(chain['id'] ?? null);
    const head = {
      ...{ head_sequence: size, head_hash: last['hash'] ?? null },
      ...{ head_created_at: last['created_at'] ?? null, head_month: last['month'] ?? null },
      ...(draw(2) === 0 ? {} : { chain: crypto.randomUUID() }),
    };
    return [
      ...['audit_outcomes', 'audit_records', 'audit_values', 'audit_rows'].map(
        (table) => `delete from ${table} where chain_id = ${id} and sequence > ${size}`,
      ),
      `delete from audit_outcomes where chain_id = ${id} and reported_in > ${size}`,
      `delete from audit_checkpoints where chain_id = ${id} and size > ${size}`,
      update('audit_chains', chain, head),
    ];
  },
  replay: (contents, _table, draw) => {
    const [row, chain] = [pick(contents['audit_rows'], draw), pick(contents['audit_chains'], draw)];
    if (!row || !chain) return undefined;
    const sequence = Number(chain['head_sequence']) + 1;
    const time = Number(chain['head_created_at']) + 1;
    const copy = {
      ...row,
      chain_id: chain['id'] ?? null,
      sequence,
      created_at: time,
      month: chain['head_month'] ?? null,
    };
    const head = { head_sequence: sequence, head_hash: row['hash'] ?? null, head_created_at: time };
    return [insert('audit_rows', copy), update('audit_chains', chain, head)];
  },
};

export const kindNames = Object.keys(kinds);

/** One change of a store; `undefined` where there is nothing to change in this way. */
export function drawMutation(contents: Contents, draw: Draw): Mutation | undefined {
  const [table, name] = [pick(Object.keys(provedColumns), draw) ?? '', pick(kindNames, draw) ?? ''];
  const statements = kinds[name]?.(contents, table, draw);
  return statements && { kind: `${name} ${table}`, statements };
}

function pick<Value>(values: readonly Value[] | undefined, draw: Draw): Value | undefined {
  return values?.[draw(values.length)];
}

type Value = StoreRow[string];

function otherValue(contents: Contents, table: string, column: string, row: StoreRow, draw: Draw): Value {
  const value = row[column] ?? null;
  const elsewhere = pick(contents[table], draw)?.[column] ?? null;
  if (elsewhere !== value && draw(2) === 0) return elsewhere;
  if (typeof value === 'number') return value + (draw(2) === 0 ? 1 : -1);
  if (value === null) return column.endsWith('_id') ? 1 : 'made up';
  const at = draw(value.length + 1);
  return value.slice(0, at) + (value[at] === 'x' ? 'y' : 'x') + value.slice(at + 1);
}

function literal(value: Value): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

function where(table: string, row: StoreRow): string {
  return (keys[table] ?? []).map((column) => `${column} = ${literal(row[column] ?? null)}`).join(' and ');
}

function update(table: string, row: StoreRow, changed: StoreRow): string {
  const set = Object.entries(changed).map(([column, value]) => `${column} = ${literal(value)}`);
  return `update ${table} set ${set.join(', ')} where ${where(table, row)}`;
}

function insert(table: string, row: StoreRow): string {
  const columns = Object.keys(row);
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map((column) => literal(row[column] ?? null)).join(', ')})`;
}

/** The values of some columns of two rows change places. Unique values need a third place meanwhile. */
function exchange(table: string, one: StoreRow, other: StoreRow, columns: readonly string[]): readonly string[] {
  const valuesOf = (row: StoreRow) => Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
  return [
    `delete from ${table} where ${where(table, one)}`,
    `delete from ${table} where ${where(table, other)}`,
  ].concat([insert(table, { ...one, ...valuesOf(other) }), insert(table, { ...other, ...valuesOf(one) })]);
}
