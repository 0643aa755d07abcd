import type { RecordData } from '#runtime/query/record-query';
import type { Rights } from './rights.ts';
import { type Name, type Shop, tellingColumns } from './shop-data.ts';
import { keys, type ShopWrite } from './writes.ts';

/** Why a write changes nothing: for want of a right, by the scopes, without a record to change, or by the database. */
export type Refusal = 'forbidden' | 'not found' | 'out of scope' | 'nothing to change' | 'impossible';

type Row = Record<string, unknown>;
export type Rows = Record<Name, Row[]>;

/** What is there after a write, or why it is refused: worked out on a copy of the data, one rule after another. */
export function outcomeOf(rights: Rights, data: Shop, write: ShopWrite): Shop | Refusal {
  const { verb, root, id } = write;
  const rows: Rows = structuredClone(data) as never;
  if (!rights.of[root][verb === 'create' ? 'add' : 'edit']) return 'forbidden';
  const found = verb === 'create' ? undefined : visible(rights, rows, root, id);
  if (verb !== 'create' && !found) return verb === 'link' ? 'not found' : 'nothing to change';
  const row = found ?? newRow(rows, root, undefined);
  const key = keys[root];
  const { imported, columns } = parts(rights, write, rows, found);

  // A record behind an imported field is changed or made by whoever may do so in its own collection.
  if (key && imported !== undefined) {
    const sentKey = key.column in columns ? columns[key.column] : row[key.column];
    const isThere = (sentKey ?? null) !== null && visible(rights, rows, key.target, sentKey) !== undefined;
    if (!rights.of[key.target][isThere ? 'edit' : 'add']) return 'forbidden';
  }

  // Keys lead into scope, and what is behind a key is in scope, before anything is written.
  const target = key && columns[key.column];
  const isKeySet = key && target !== undefined && target !== null && target !== found?.[key.column];
  const isLinkAbsent = verb === 'link' && key && target !== null && !visible(rights, rows, key.target, target);
  if (isLinkAbsent || (isKeySet && rights.scopes[key.target] && !visible(rights, rows, key.target, target))) {
    return 'not found';
  }
  Object.assign(row, columns);
  const isImported = key !== undefined && imported !== undefined;
  const partnerId = key && (row[key.column] ?? null);
  const partner = key && rows[key.target].find((candidate) => candidate['id'] === partnerId);
  if (isImported && partner && !visible(rights, rows, key.target, partnerId)) return 'not found';
  const isKeyImported = isImported && key.of === 'customer_id' && imported !== null;
  if (isKeyImported && rights.scopes.customers && !visible(rights, rows, 'customers', imported)) return 'not found';

  // What the database, or the sense of it, does not allow.
  if (isImported && found && columns[key.column] === null) return 'impossible';
  if (isKeyImported && !rows.customers.some((candidate) => candidate['id'] === imported)) return 'impossible';
  if (key && !isImported && partnerId !== null && !partner) return 'impossible';

  // What was written is in scope.
  if (!found) rows[root].push(row);
  if (isImported) {
    const written = partner ?? newRow(rows, key.target, partnerId);
    if (!partner) rows[key.target].push(written);
    written[key.of] = imported;
    row[key.column] = written['id'];
    if (!visible(rights, rows, key.target, written['id'])) return 'out of scope';
  }
  return visible(rights, rows, root, row['id']) ? rows : 'out of scope';
}

/** What is written of a row, and what is imported from behind its key. An import that keeps the value that it shows writes nothing. */
function parts(rights: Rights, { root, verb, attributes, target }: ShopWrite, rows: Rows, found: Row | undefined) {
  const key = keys[root];
  if (!key) return { columns: attributes, imported: undefined };
  const linked = target === undefined ? {} : { [key.column]: target };
  const { [key.imported]: imported, ...columns } = { ...linked, ...attributes };
  const behind = visible(rights, rows, key.target, found?.[key.column]);
  const isKept = verb === 'update' && imported === (behind?.[key.of] ?? null);
  return { columns, imported: isKept ? undefined : imported };
}

export function visible({ scopes }: Rights, rows: Rows, name: Name, id: unknown): Row | undefined {
  const scope = scopes[name];
  return rows[name].find((row: RecordData) => row['id'] === id && (!scope || row[scope.column] === scope.value));
}

function newRow(rows: Rows, name: Name, id: unknown): Row {
  const columns = [...tellingColumns[name], ...(keys[name] ? [keys[name].column] : [])];
  const next = Math.max(...rows[name].map((row) => Number(row['id']))) + 1;
  return { id: id ?? next, ...Object.fromEntries(columns.map((column) => [column, null])) };
}
