import { sql } from 'kysely';
import { cloudError } from '#kernel/errors/cloud-error';
import { type ConditionLeaf, type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import type { Operator } from '../../query/operators.ts';
import { unnestPath } from '../../query/record-path.ts';
import { StoredForm, StoredPlace } from '../../query/stored-form.ts';
import type { ConditionColumns, JoinedColumn, RelatedRecords } from './condition-shape.ts';
import type { Sql, SqlDialect } from './sql-dialect.ts';
import { type BindContext, slot } from './statement-parameters.ts';

/** A related record must fulfil at least one of these conditions. */
interface Alternatives {
  readonly related: RelatedRecords;
  readonly conditions: Sql[];
}

/** Each is a condition of its own: MySQL leaves out what a constant decides, and then mistakes the sub-queries in it for a use of the table. */
const always = sql`1 = 1`;
const never = sql`1 = 0`;

/** The SQL of a condition tree, its values left open: leaf number `n`, in reading order, takes `BindContext.values[n]`. */
export function compileConditions(
  tree: ConditionTree | undefined,
  joins: ConditionColumns,
  dialect: SqlDialect,
): Sql | undefined {
  if (!tree) return undefined;
  let leaves = 0;

  function write(node: ConditionTree): Sql {
    if (isBranch(node) && node.aggregator === 'And') {
      const parts = node.conditions.map(write);
      if (parts.includes(never)) return never;
      const needed = parts.filter((part) => part !== always);
      return needed.length > 0 ? row(needed, sql` and `) : always;
    }
    const parts = writeAlternatives(isBranch(node) ? node.conditions : [node]);
    if (parts.includes(always)) return always;
    const possible = parts.filter((part) => part !== never);
    const [only] = possible;
    if (possible.length === 1 && only) return only;
    return possible.length > 0 ? row(possible, sql` or `) : never;
  }

  /** Conditions on the same related records become one sub-query, which engines can turn into a semi-join. */
  function writeAlternatives(nodes: readonly ConditionTree[]): Sql[] {
    const byRelation = new Map<string, Alternatives>();
    const parts = nodes.map((node) => {
      if (isBranch(node)) return write(node);
      const relationPath = joins.toManyPart(node.field);
      if (relationPath === '') return writeLeaf(node, node.field, joins);
      const known = byRelation.get(relationPath);
      const { related, conditions } = known ?? { related: joins.related(relationPath), conditions: [] };
      conditions.push(writeLeaf(node, unnestPath(node.field, relationPath) ?? '', related.joins));
      if (known) return undefined;
      const alternatives = { related, conditions };
      byRelation.set(relationPath, alternatives);
      return alternatives;
    });
    return parts.flatMap((part) => {
      if (part === undefined) return [];
      return 'related' in part ? [part.related.exists(row(part.conditions, sql` or `))] : [part];
    });
  }

  function writeLeaf({ operator, value }: ConditionLeaf, path: string, plan: ConditionColumns): Sql {
    const { column, reference, candidate } = plan.columnAt(path);
    if (value instanceof StoredForm) return isStoredAs(dialect.storedForm(column, reference), leaves++);
    if (value instanceof StoredPlace) return comparedPlace({ column, reference }, operator, value, leaves++, dialect);
    const leaf = { column, reference, operator, variant: dialect.variantOf(operator, value), index: leaves++ };
    if (!candidate || operator !== 'Equal' || leaf.variant === 'null') return dialect.condition(leaf);
    return sql`(${dialect.condition({ ...leaf, reference: candidate.value })} and ${candidate.isValue})`;
  }

  return write(tree);
}

function isStoredAs(stored: Sql, index: number): Sql {
  return sql`${stored} = ${slot(({ values }) => (values[index] as StoredForm).text)}`;
}

const signs: Partial<Record<Operator, Sql>> = {
  Equal: sql`=`,
  LessThan: sql`<`,
  LessThanOrEqual: sql`<=`,
  GreaterThan: sql`>`,
  GreaterThanOrEqual: sql`>=`,
};

function comparedPlace(
  { column, reference }: JoinedColumn,
  operator: Operator,
  { text, isOfIndex }: StoredPlace,
  index: number,
  dialect: SqlDialect,
): Sql {
  const ofIndex = isOfIndex ? dialect.places.ofIndex(column) : undefined;
  const key = ofIndex ? reference : dialect.orderKey(column, reference);
  if (text === undefined) return operator === 'Equal' ? sql`${key} is null` : sql`${key} is not null`;
  const sign = signs[operator];
  if (!sign) throw cloudError('INTERNAL_BUG', `The operator ${operator} compares no places in an order.`);
  const textOf = ({ values }: BindContext) => (values[index] as StoredPlace).text ?? '';
  return sql`${key} ${sign} ${ofIndex ? ofIndex(textOf) : dialect.places.valueOf(column, textOf)}`;
}

const longestRow = 100;

/** Databases limit how deep an expression may be, and read a row of conditions as one inside the other. */
function row(parts: readonly Sql[], separator: Sql): Sql {
  if (parts.length <= longestRow) return sql`(${sql.join(parts, separator)})`;
  const rows = Array.from({ length: Math.ceil(parts.length / longestRow) }, (_, index) =>
    row(parts.slice(index * longestRow, (index + 1) * longestRow), separator),
  );
  return row(rows, separator);
}
