import { sql } from 'kysely';
import { cloudError } from '#kernel/errors/cloud-error';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { LeafInput, Sql } from '../sql/sql-dialect.ts';
import { slot } from '../sql/statement-parameters.ts';
import { comparedType, familyOf, itemColumn } from './postgres-native-type.ts';
import { comparedItem, encodeForPostgres } from './postgres-values.ts';

/**
 * Conditions on an array column. `@>` and `&&`, which a GIN index serves, know no nulls within lists: where the value
 * holds one it is asked for apart.
 */
export function listCondition(leaf: LeafInput): Sql {
  const { reference, variant } = leaf;
  const array = comparableArray(leaf);
  const item = itemColumn(leaf.column);
  const listOf = (itemsOf: (value: unknown) => readonly unknown[] | null) =>
    sql`${slot(({ values }) => encodeForPostgres(leaf.column, itemsOf(values[leaf.index])))}::${arrayType(leaf)}`;
  // A list with an item that the column cannot hold is null here: no list equals it, nor has all of its items.
  const given = listOf((value) => allOrNull(item, Array.isArray(value) ? value : []));
  const items = listOf((value) => allOrNull(item, itemsOf(value)));
  const storable = listOf((value) => comparedItems(item, itemsOf(value)).filter((each) => each !== undefined));
  const hasNull = sql`array_position(${reference}, null) is not null`;
  switch (leaf.operator) {
    case 'Equal':
      return variant === 'null' ? equalOrMissing(leaf, array, given) : sql`${array} = ${given}`;
    case 'NotEqual':
      return variant === 'null'
        ? sql`not ${equalOrMissing(leaf, array, given)}`
        : sql`(${array} = ${given}) is not true`;
    case 'IncludesAll':
      return variant === 'null' ? includesAllWithNull(leaf, array, items, hasNull) : sql`${array} @> ${items}`;
    case 'IncludesNone': {
      const isDisjoint = sql`not ${array} && ${storable}`;
      const nullToo = variant === 'null' ? sql` and not ${listHoldsNull(leaf, hasNull)}` : sql``;
      return sql`(${reference} is null or (${isDisjoint}${nullToo}))`;
    }
    default:
      throw cloudError('INTERNAL_BUG', `The operator ${leaf.operator} has no SQL.`);
  }
}

/** The value is not a list at all, or one that holds a null: which of them is reported by a parameter. */
function equalOrMissing(leaf: LeafInput, array: Sql, given: Sql): Sql {
  const isList = sql`${slot(({ values }) => Array.isArray(values[leaf.index]))}::boolean`;
  return sql`(case when ${isList} then coalesce(${array} = ${given}, false) else ${leaf.reference} is null end)`;
}

function includesAllWithNull(leaf: LeafInput, array: Sql, items: Sql, hasNull: Sql): Sql {
  const isList = sql`${slot(({ values }) => Array.isArray(values[leaf.index]))}::boolean`;
  return sql`(${array} @> ${items} and (not ${isList} or ${hasNull}))`;
}

function listHoldsNull(leaf: LeafInput, hasNull: Sql): Sql {
  const isList = sql`${slot(({ values }) => Array.isArray(values[leaf.index]))}::boolean`;
  return sql`(${isList} and ${hasNull})`;
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter((item) => item !== null) : [];
}

function allOrNull(item: ColumnSchema, values: readonly unknown[]): readonly unknown[] | null {
  const compared = comparedItems(item, values);
  return compared.includes(undefined) ? null : compared;
}

function comparedItems(item: ColumnSchema, values: readonly unknown[]): readonly unknown[] {
  return values.map((value) => comparedItem(item, value));
}

/** Arrays of types without an equality of their own, or with a loose one, are compared as arrays of another type. */
function comparableArray(leaf: LeafInput): Sql {
  const family = familyOf(itemColumn(leaf.column));
  // Through their text, which a cast of each item would not keep: 0.1 of single precision, an address without its mask.
  const form = family === 'real' || family === 'worded' ? sql`${leaf.reference}::text` : leaf.reference;
  return sql`${form}::${arrayType(leaf)}`;
}

function arrayType(leaf: LeafInput): Sql {
  const item = itemColumn(leaf.column);
  switch (familyOf(item)) {
    case 'integer':
    case 'double':
    case 'numeric':
    case 'text':
      // Their own type, so that an index on the column serves.
      return sql.raw(`${item.nativeType.replace(/\(.*\)$/, '')}[]`);
    case 'citext':
      return sql.raw('text[]');
    default:
      return sql.raw(`${comparedType(item)}[]`);
  }
}
