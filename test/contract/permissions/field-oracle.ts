import type { FieldRule } from '#runtime/permissions/field-rules';
import type { RecordData } from '#runtime/query/record-query';
import { type Name, names, type Shop, shop } from './shop-data.ts';

/** What a role may do with a field, in one word. */
export type Access = 'open' | 'hidden' | 'last4' | 'email' | 'present' | 'unfiltered' | 'unwritten' | 'shown';

/** By collection and column. */
export type Accesses = Readonly<Record<Name, Readonly<Record<string, Access>>>>;

export const ruleOf: Readonly<Record<Access, FieldRule>> = {
  open: { read: true, filter: true, write: true },
  hidden: { read: false, filter: false, write: false },
  last4: { read: 'last4', filter: false, write: false },
  email: { read: 'email', filter: false, write: false },
  present: { read: 'present', filter: false, write: false },
  unfiltered: { read: true, filter: false, write: true },
  unwritten: { read: true, filter: true, write: false },
  shown: { read: true, filter: false, write: false },
};

/** The columns that a rule may be about. */
export const columns: Readonly<Record<Name, readonly string[]>> = {
  customers: ['name', 'city'],
  orders: ['reference', 'status', 'total', 'customer_id'],
  lines: ['sku', 'quantity', 'order_id'],
};

/** Where relations lead, and the column that they follow. */
export const relations: Readonly<Record<Name, Readonly<Record<string, { to: Name; key: readonly [Name, string] }>>>> = {
  customers: { orders: { to: 'orders', key: ['orders', 'customer_id'] } },
  orders: {
    customer: { to: 'customers', key: ['orders', 'customer_id'] },
    lines: { to: 'lines', key: ['lines', 'order_id'] },
  },
  lines: { order: { to: 'orders', key: ['lines', 'order_id'] } },
};

/** The fields of code: those that show a field of another record, and those that are worked out. */
const imported: Readonly<Record<string, readonly [relation: string, field: string]>> = {
  customerName: ['customer', 'name'],
  orderTotal: ['order', 'total'],
};
const workedOut: Readonly<Record<string, readonly string[]>> = {
  label: ['reference', 'status'],
  doubled: ['total'],
};

/** What may be done with the field at the end of a path; nothing where one of the keys on the way is not open. */
export function accessAt(accesses: Accesses, root: Name, path: string): Access {
  const [first = '', ...rest] = path.split(':');
  if (rest.length > 0) {
    const relation = relations[root][first];
    return relation && isOpenKey(accesses, relation.key) ? accessAt(accesses, relation.to, rest.join(':')) : 'hidden';
  }
  const source = imported[first];
  if (source) return accessAt(accesses, root, source.join(':'));
  const parts = workedOut[first]?.map((part) => accessAt(accesses, root, part));
  if (!parts) return accesses[root][first] ?? 'open';
  if (parts.some((part) => !isReadAsItIs(part))) return 'hidden';
  return parts.every(isFiltered) ? 'open' : 'unfiltered';
}

function isOpenKey(accesses: Accesses, [holder, column]: readonly [Name, string]): boolean {
  return isFiltered(accesses[holder][column] ?? 'open');
}

export function isFiltered(access: Access): boolean {
  return access === 'open' || access === 'unwritten';
}

export function isReadAsItIs(access: Access): boolean {
  return isFiltered(access) || access === 'unfiltered' || access === 'shown';
}

/** A scope, whose column has the same values wherever records are compared. */
export type Scope = { readonly root: Name; readonly column: string; readonly value: unknown } | null;

/** The shop with other values wherever a role does not see the value. What a mask shows of a value is the same. */
export function unseenChanged(accesses: Accesses, scope: Scope): Shop {
  return changedUnseen(accesses, (name, column) => scope?.root === name && scope.column === column);
}

/** @param isKept whether a column has the same values wherever records are compared. */
export function changedUnseen(accesses: Accesses, isKept: (name: Name, column: string) => boolean): Shop {
  const twins = names.map((name) => [
    name,
    shop[name].map((record) => {
      const changed = columns[name]
        .filter((column) => !isKept(name, column))
        .map((column) => [column, twinOf(record[column], accesses[name][column] ?? 'open', column)]);
      return { ...record, ...(Object.fromEntries(changed) as RecordData) };
    }),
  ]);
  return Object.fromEntries(twins) as Shop;
}

/** Another value that the role sees no difference in. */
function twinOf(value: unknown, access: Access, column: string): unknown {
  if (isReadAsItIs(access)) return value;
  if (access === 'hidden') return hiddenTwin(value, column);
  if (value === null || value === undefined) return null;
  // A key has one digit, and a mask shows nothing of it.
  if (column.endsWith('_id')) return value === 1 ? 2 : 1;
  // Of a text of two characters and more, the first is never shown at its end.
  const other = `${typeof value === 'number' ? 7 : 'Q'}${String(value).slice(1)}`;
  return typeof value === 'number' ? Number(other) : other;
}

/** Keys lead elsewhere; all else becomes what requests ask for. */
export function hiddenTwin(value: unknown, column: string): unknown {
  if (column.endsWith('_id')) return value === 1 ? null : 1;
  if (column === 'total' || column === 'quantity') return value === 10 ? 3 : 10;
  return value === 'Paris' ? 'paid' : 'Paris';
}
