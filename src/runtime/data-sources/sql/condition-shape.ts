import type { ColumnSchema } from '../../query/collection-schema.ts';
import { type ConditionLeaf, type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import { StoredForm, StoredPlace } from '../../query/stored-form.ts';
import type { Sql, SqlDialect } from './sql-dialect.ts';
import type { Candidate } from './sql-expressions.ts';

export interface JoinedColumn {
  readonly column: ColumnSchema;
  readonly reference: Sql;
  readonly candidate?: Candidate;
}

/** Finds the columns and the related records of conditions. */
export interface ConditionColumns {
  /** The column at the end of `column` or `relation:column`; joins what lies between. */
  columnAt(path: string): JoinedColumn;
  /** The part of a path up to its last to-many relation; empty when it leads to one record. */
  toManyPart(path: string): string;
  /** The records that a path of relations leads to, to-many ones among them, seen from the record of the root. */
  related(relationPath: string): RelatedRecords;
}

/** Records that are looked at and not joined: a record of the root stays one, however many of them there are. */
export interface RelatedRecords {
  /** Paths that begin at one of them. */
  readonly joins: ConditionColumns;
  /** Whether there is one of them that fulfils `condition`, which is written with `joins`. */
  exists(condition: Sql): Sql;
}

/** A tree cut in two: what decides the SQL text, and the values that are bound to it. */
export interface ConditionShape {
  readonly key: string;
  readonly values: readonly unknown[];
}

/** Walks in the order in which `compileConditions` numbers the leaves. */
export function conditionShape(tree: ConditionTree, dialect: SqlDialect): ConditionShape {
  const values: unknown[] = [];
  const walk = (node: ConditionTree): string => {
    if (isBranch(node)) return `${node.aggregator}(${node.conditions.map(walk).join(',')})`;
    values.push(node.value);
    return `${JSON.stringify(node.field)} ${node.operator} ${variantOf(node, dialect)}`;
  };
  return { key: walk(tree), values };
}

function variantOf({ operator, value }: ConditionLeaf, dialect: SqlDialect): string {
  if (value instanceof StoredForm) return 'stored';
  if (value instanceof StoredPlace) {
    const kind = value.isOfIndex ? 'place of index' : 'place';
    return value.text === undefined ? `${kind}, null` : kind;
  }
  return dialect.variantOf(operator, value);
}
