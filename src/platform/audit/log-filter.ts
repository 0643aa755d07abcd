import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { ActivityEntry, AdminEntry } from '#contracts/audit/rows';
import type { Tables } from '../store/tables.ts';
import { comparableEmail } from './chain-row.ts';

/** Which rows of a chain are asked for; all conditions hold together. */
export interface LogFilter {
  readonly userId?: number | undefined;
  readonly userEmail?: string | undefined;
  readonly team?: string | undefined;
  readonly collection?: string | undefined;
  readonly recordId?: string | undefined;
  readonly type?: ActivityEntry['type'] | AdminEntry['type'] | undefined;
  /** The action of an act, or the resource of a change of the configuration. */
  readonly action?: string | undefined;
  readonly initiator?: AdminEntry['initiator'] | undefined;
  readonly status?: ActivityEntry['status'] | undefined;
  readonly correlationId?: string | undefined;
  /** Id or name of the program that did it. */
  readonly client?: string | undefined;
  /** The MCP tool that was called. */
  readonly tool?: string | undefined;
  /** Number of the version of the code. */
  readonly codeVersion?: number | undefined;
  readonly createdAt?: TimeRange | undefined;
  /** Only actions and resources that every client knows. */
  readonly isCoreOnly?: boolean | undefined;
}

/** The same with the column that the program is found by, where only one of them holds it. */
export interface ColumnFilter extends LogFilter {
  readonly clientId?: string | undefined;
  readonly clientName?: string | undefined;
}

/** Milliseconds since the epoch. */
export interface TimeRange {
  readonly eq?: number | undefined;
  readonly lt?: number | undefined;
  readonly lte?: number | undefined;
  readonly gt?: number | undefined;
  readonly gte?: number | undefined;
}

type Rows = ExpressionBuilder<Tables, 'auditRows'>;
type Condition = (the: Rows) => Expression<SqlBool>;
const columns = [
  ...(['userId', 'userEmail', 'team', 'collection', 'action', 'type', 'initiator', 'correlationId'] as const),
  ...(['clientId', 'clientName', 'tool', 'codeVersion'] as const),
] as const;
type Column = (typeof columns)[number];

/** A filter in two parts: what an index finds, and what is checked on each row that it finds. */
export interface SplitFilter {
  readonly found: Condition;
  /** `undefined` where the index finds nothing else. */
  readonly checked: Condition | undefined;
}

/** Each is the beginning of an index of the rows, before the sequence. The most selective come first. */
const indexes: readonly (readonly Column[])[] = [
  ['correlationId'],
  ['userId', 'collection'],
  ['collection', 'action'],
  ['userId'],
  ['userEmail'],
  ['clientId'],
  ['clientName'],
  ['tool'],
  ['codeVersion'],
  ['action'],
  ['collection'],
  ['team', 'type'],
  ['team'],
  ['type'],
];

/** @param isByRecord whether the rows are found by a record instead, so that everything else is checked. */
export function splitFilter(filter: ColumnFilter, isByRecord = false): SplitFilter {
  const values: Partial<Record<Column, string | number>> = Object.fromEntries(
    columns.map((column) => [column, filter[column]] as const).filter(([, value]) => value !== undefined),
  );
  if (values.userEmail !== undefined) values.userEmail = comparableEmail(String(values.userEmail));
  const isUsable = (index: readonly Column[]) =>
    index.every((column) => values[column] !== undefined && (column !== 'type' || values.type === 'write'));
  const index = isByRecord ? [] : (indexes.find(isUsable) ?? []);
  const given = columns.filter((column) => values[column] !== undefined);
  const found: Condition[] = index.map((column) => (the) => equal(the, column, values[column]));
  const isOfAllOrUser = !isByRecord && ['', 'userId'].includes(index.join());
  if (isOfAllOrUser && filter.status !== undefined && filter.status !== 'completed') found.push(isUncompleted);
  const checked = [
    ...given.filter((column) => !index.includes(column)).map((column) => unindexed(column, values[column])),
    ...(filter.status ? [hasStatus(filter.status)] : []),
    ...(filter.client === undefined ? [] : [isClient(filter.client)]),
  ];
  return { found: allOf(found), checked: checked.length === 0 ? undefined : allOf(checked) };
}

function allOf(conditions: readonly Condition[]): Condition {
  return (the) => the.and(conditions.map((condition) => condition(the)));
}

/** The index of writes holds writes only, which the statement must say by itself. */
function equal(the: Rows, column: Column, value: string | number | undefined): Expression<SqlBool> {
  return column === 'type' ? the('type', '=', sql.lit('write' as const)) : the(sql.ref(column), '=', value);
}

/** As the indexes of the acts that did not succeed at once say it. */
const isUncompleted: Condition = (the) => the('status', '<>', sql.lit('completed' as const));

/** Written so that no engine walks another index for it. */
function unindexed(column: Column, value: string | number | undefined): Condition {
  const found = typeof value === 'number' ? sql`${sql.ref(column)} + 0` : sql`${sql.ref(column)} || ''`;
  return (the) => the(found, '=', value);
}

function isClient(client: string): Condition {
  return (the) => the.or([unindexed('clientId', client)(the), unindexed('clientName', client)(the)]);
}

/** An act that was pending at first may have a row that says how it ended. */
function hasStatus(status: ActivityEntry['status']): Condition {
  return (the) => {
    const outcome = the
      .selectFrom('auditOutcomes')
      .select('auditOutcomes.status')
      .whereRef('auditOutcomes.chainId', '=', 'auditRows.chainId')
      .whereRef('auditOutcomes.sequence', '=', 'auditRows.sequence');
    return the(the.fn.coalesce(outcome, 'auditRows.status'), '=', status);
  };
}
