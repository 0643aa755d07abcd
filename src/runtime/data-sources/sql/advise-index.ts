import { sql } from 'kysely';
import type { SqlRow } from '#kernel/ports/sql-row';
import type { CollectionSchema, ColumnSchema } from '../../query/collection-schema.ts';
import { type ConditionLeaf, type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import type { Operator } from '../../query/operators.ts';
import type { ListQuery, SortClause } from '../../query/record-query.ts';
import { isRelativeDateOperator } from '../../query/relative-dates.ts';
import type { IndexAdvice, PlannedIndex, QueryContext, QueryPlan } from '../interface/data-source.ts';
import { tableReference } from './related-tables.ts';
import type { Sql, SqlDialect } from './sql-dialect.ts';
import type { SqlEngine } from './sql-engine.ts';
import type { SqlStatements } from './sql-statements.ts';

/** A column as an index has it. */
interface IndexPart {
  readonly column: ColumnSchema;
  /** As it is in the statement. */
  readonly element: Sql;
  /** Whether it has to be in the order of bytes. */
  readonly isByBytes: boolean;
}

/** An index that a list would be served by: columns that equal something in any order, then those of a range or of the order. */
interface Candidate {
  readonly equal: readonly IndexPart[];
  readonly then: readonly IndexPart[];
}

const ranges: ReadonlySet<Operator> = new Set([
  ...(['LessThan', 'LessThanOrEqual', 'GreaterThan', 'GreaterThanOrEqual', 'Before', 'After'] as const),
]);

/** The columns of an index for a list; `undefined` where no plain index would serve it. */
function candidateFor(
  { where, sort = [] }: ListQuery,
  schema: CollectionSchema,
  dialect: SqlDialect,
): Candidate | undefined {
  if (schema.isReadOnly) return undefined;
  const equal = new Map<string, IndexPart>();
  let range: IndexPart | undefined;
  for (const leaf of leavesOfAll(where)) {
    const column = plainColumn(schema, leaf.field);
    const part = column && comparedPart(column, leaf, dialect);
    if (!part) continue;
    if (leaf.operator === 'Equal' || leaf.operator === 'In') equal.set(leaf.field, part);
    else range ??= part;
  }
  const wanted = sort.filter(({ order, field }) => order !== 'any' && !equal.has(field));
  const ordered = wanted.map((clause) => orderedPart(clause, schema, dialect));
  const isOrdered = ordered.length > 0 && ordered.every((part) => part !== undefined);
  const then = isOrdered ? ordered : range && !equal.has(range.column.name) ? [range] : [];
  return equal.size + then.length > 0 ? { equal: [...equal.values()], then } : undefined;
}

/** The conditions that hold for every record of the list. */
function leavesOfAll(where: ConditionTree | undefined): readonly ConditionLeaf[] {
  if (!where) return [];
  if (!isBranch(where)) return [where];
  const isSure = where.aggregator === 'And' || where.conditions.length === 1;
  return isSure ? where.conditions.flatMap(leavesOfAll) : [];
}

function plainColumn({ fields }: CollectionSchema, name: string): ColumnSchema | undefined {
  const field = fields.get(name);
  return field?.kind === 'column' && !field.expression ? field : undefined;
}

/** An index serves a condition that compares the bare column, as the dialect writes it. */
function comparedPart(column: ColumnSchema, leaf: ConditionLeaf, dialect: SqlDialect): IndexPart | undefined {
  const { operator, value } = leaf;
  const isServed =
    operator === 'Equal' || operator === 'In' || ranges.has(operator) || isRelativeDateOperator(operator);
  if (!isServed || !column.operators.has(operator)) return undefined;
  const reference = sql.id(column.name);
  const variant = dialect.variantOf(operator, value);
  const condition = dialect.condition({ column, reference, operator, variant, index: 0 });
  return partOf(column, dialect.compile(condition).sql, / (?:=|<|>|<=|>=|in|between)(?: |\()/, dialect);
}

function orderedPart(
  { field, ascending, shownWhere }: SortClause,
  schema: CollectionSchema,
  dialect: SqlDialect,
): IndexPart | undefined {
  const column = plainColumn(schema, field);
  if (!column?.isSortable || shownWhere) return undefined;
  const order = dialect.orderBy(column, sql.id(column.name), ascending);
  const part = partOf(column, dialect.compile(order).sql, / (?:asc|desc)(?: nulls (?:first|last))?$/, dialect);
  return part && { ...part, element: order };
}

/** The column, and its collation, when a text begins with them and goes on like this. A cast to its own type changes nothing. */
function partOf(column: ColumnSchema, text: string, goesOn: RegExp, dialect: SqlDialect): IndexPart | undefined {
  const bare = dialect.compile(sql.id(column.name)).sql;
  const start = text.startsWith('(') ? 1 : 0;
  if (!text.startsWith(bare, start)) return undefined;
  const [collate = ''] = /^ collate (?:"C"|binary)/.exec(text.slice(start + bare.length)) ?? [];
  const after = text.slice(start + bare.length + collate.length);
  const cast = `::${column.nativeType}`;
  const rest = after.startsWith(cast) ? after.slice(cast.length) : after;
  if (rest.search(goesOn) !== 0) return undefined;
  const element = sql`${sql.id(column.name)}${sql.raw(collate)}`;
  return { column, element, isByBytes: collate !== '' };
}

/** Whether one of the indexes serves what the candidate would serve. */
function isCovered({ equal, then }: Candidate, rows: readonly SqlRow[], schema: CollectionSchema): boolean {
  const keys = [schema.primaryKey, ...(schema.uniqueKeys ?? [])];
  const declared = keys.map((columns) => columns.map((column) => ({ column, isByBytes: true })));
  const listed = [...Map.groupBy(rows, (row) => row['name']).values()].map((parts) =>
    parts.map((row) => ({ column: String(row['column']), isByBytes: Number(row['isByBytes']) === 1 })),
  );
  const fits = (part: IndexPart, own: { readonly column: string; readonly isByBytes: boolean } | undefined) =>
    own?.column === part.column.name && (own.isByBytes || !part.isByBytes);
  return [...declared, ...listed].some((own) => {
    const first = own.slice(0, equal.length);
    const areFirst = equal.every((part) => first.some((each) => fits(part, each)));
    return areFirst && then.every((part, index) => fits(part, own[equal.length + index]));
  });
}

/** Every engine takes names of 63 bytes. */
const longestName = 55;

/** The statement that creates the index. */
function createStatement(
  { equal, then }: Candidate,
  schema: CollectionSchema,
  { indexes, compile }: SqlDialect,
  create = indexes.create,
): string {
  const parts = [...equal, ...then];
  const table = schema.table?.name ?? schema.name;
  const name = `${[table, ...parts.map(({ column }) => column.name)].join('_').slice(0, longestName)}_idx`;
  const elements = parts.map(({ column, element }) => {
    const length = indexes.prefixLength?.(column);
    return length === undefined ? element : sql`${sql.id(column.name)}(${sql.raw(String(length))})`;
  });
  return compile(sql`${sql.raw(create)} ${sql.id(name)} on ${tableReference(schema)} (${sql.join(elements)})`).sql;
}

/** What asks the database. */
interface AdviceParts {
  readonly engine: Pick<SqlEngine, 'read' | 'transaction'>;
  readonly statements: SqlStatements;
  explained(query: ListQuery): Promise<QueryPlan>;
  readonly context: QueryContext;
}

/** An index that a list lacks; `undefined` where none would serve it, or there is one. Creates nothing. */
export async function adviseIndex(query: ListQuery, parts: AdviceParts): Promise<IndexAdvice | undefined> {
  const { engine, statements, context } = parts;
  const { dialect } = statements;
  const schema = statements.collection(query.collection);
  const candidate = candidateFor(query, schema, dialect);
  if (!candidate) return undefined;
  const listed = await engine.read(dialect.compile(dialect.indexes.listed(schema)).sql, [], context);
  if (isCovered(candidate, listed, schema)) return undefined;
  return {
    columns: [...candidate.equal, ...candidate.then].map(({ column }) => column.name),
    statement: createStatement(candidate, schema, dialect),
    ...(await planned(query, createStatement(candidate, schema, dialect, 'create index'), parts)),
  };
}

async function planned(
  query: ListQuery,
  create: string,
  { engine, statements, explained, context }: AdviceParts,
): Promise<PlannedIndex> {
  const { indexes } = statements.dialect;
  const { plan, note } = indexes;
  if (!plan) return { plan: (await explained(query)).steps, ...(note === undefined ? {} : { note }) };
  const statement = statements.list(query, context.deleted).plan.sql;
  return engine.transaction((transaction) => plan(transaction, statement, create), context);
}
