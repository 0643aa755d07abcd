import fc from 'fast-check';
import type { FieldRule } from '#runtime/permissions/field-rules';
import type { RecordData } from '#runtime/query/record-query';
import { type Name, names, type Shop, shop, tellingColumns } from './shop-data.ts';

/** What one role may do. */
export interface RoleRights {
  readonly of: Readonly<
    Record<Name, Readonly<Record<'browse' | 'read' | 'export' | 'add' | 'edit' | 'delete', boolean>>>
  >;
  /** What it may not do with fields; without them it may do with each what it may do with the collection. */
  readonly fields?: Readonly<Record<Name, Readonly<Record<string, FieldRule>>>>;
  /** The records that it has its rights on; without them all. */
  readonly kept?: ScopesByName;
}

/** The column and value that a scope on a collection asks for; `null` for none. */
export type ScopesByName = Readonly<Record<Name, { readonly column: string; readonly value: unknown } | null>>;

/** What the first role may do, and what the first team sees. */
export interface Rights extends RoleRights {
  readonly scopes: ScopesByName;
  /** Further roles and teams of the same person. */
  readonly furtherRoles?: readonly RoleRights[];
  readonly furtherTeams?: readonly ScopesByName[];
}

const mostly = fc.integer({ min: 0, max: 9 }).map((drawn) => drawn > 0);
const rightsOfOne = fc.record({
  browse: fc.boolean(),
  read: fc.boolean(),
  export: fc.boolean(),
  add: mostly,
  edit: mostly,
  delete: mostly,
});

const nearlyAlways = fc.integer({ min: 0, max: 19 }).map((drawn) => drawn > 0);
const nearlyAll = fc.record({
  browse: nearlyAlways,
  read: nearlyAlways,
  export: nearlyAlways,
  add: nearlyAlways,
  edit: nearlyAlways,
  delete: nearlyAlways,
});

/** None for `freeOf` of ten callers. */
function scopeOf(name: Name, freeOf: number) {
  const conditions = tellingColumns[name].flatMap((column) =>
    [...new Set(shop[name].map((record) => record[column]))].map((value) => ({ column, value })),
  );
  const condition = fc.constantFrom(...conditions.filter(({ value }) => value !== null));
  return fc.oneof({ weight: freeOf, arbitrary: fc.constant(null) }, { weight: 10 - freeOf, arbitrary: condition });
}

export const rightsArbitrary: fc.Arbitrary<Rights> = fc.record({
  of: fc.record({ customers: rightsOfOne, orders: rightsOfOne, lines: rightsOfOne }),
  scopes: fc.record({ customers: scopeOf('customers', 5), orders: scopeOf('orders', 5), lines: scopeOf('lines', 5) }),
});

/** Rights by which most requests succeed, as they do in use. */
export const generousRightsArbitrary: fc.Arbitrary<Rights> = fc.record({
  of: fc.record({ customers: nearlyAll, orders: nearlyAll, lines: nearlyAll }),
  scopes: fc.record({ customers: scopeOf('customers', 8), orders: scopeOf('orders', 8), lines: scopeOf('lines', 8) }),
});

/**
 * The shop with everything changed that the caller cannot read: all of a collection without the right to read, and beyond the
 * scope all that is there. Which records belong together stays, and which are in scope; but lines that nobody may know of are others.
 */
export function unreadableChanged({ of, scopes }: Rights): Shop {
  const changed = (name: Name): readonly RecordData[] => {
    const scope = scopes[name];
    if (!of[name].read) return shop[name].map((record) => otherRecord(name, record, scope?.column));
    if (!scope) return shop[name];
    return shop[name].map((record) =>
      record[scope.column] === scope.value ? record : otherRecord(name, record, scope.column),
    );
  };
  const [customers, orders, lines] = names.map(changed) as [RecordData[], RecordData[], RecordData[]];
  return { customers, orders, lines: of.lines.read ? lines : [...lines.slice(1), { ...lines[0], id: 9, order_id: 2 }] };
}

function otherRecord(name: Name, record: RecordData, unchanged: string | undefined): RecordData {
  const others = tellingColumns[name]
    .filter((column) => column !== unchanged)
    .map((column) => [column, typeof record[column] === 'string' ? 'Paris red A-1 paid' : 10]);
  return { ...record, ...Object.fromEntries(others) };
}
