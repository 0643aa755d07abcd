import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { SqlRow, SqlValue } from '#kernel/ports/sql-row';
import type { DataSource } from '../../data-sources/interface/data-source.ts';
import type { ModelView } from '../../model/compiled-model.ts';
import { type CallContext, queryContext } from '../calls/call-context.ts';
import { type Variables, withBoundVariables } from '../calls/call-variables.ts';

/** A query in the language of a database. */
export interface NativeQuery {
  /** A name that a data source gave with `liveQueryConnections`. */
  readonly connectionName: string;
  /** `{{name}}` in it is bound, never written into it. */
  readonly query: string;
}

/** How many characters a query may have. */
const maxQueryLength = 1_000_000;

/** The names of the databases that take queries of somebody's own, in the order of the data sources. */
export function nativeConnections(model: ModelView): readonly string[] {
  return sourcesOf(model).flatMap(({ nativeQueryConnections = [] }) => nativeQueryConnections);
}

/**
 * Run a query that reads; asks for no right. The database itself keeps it from writing.
 *
 * @throws `REQUEST_UNPROCESSABLE` for an unknown connection, `DATABASE_NATIVE_QUERY_REFUSED` for what the database refuses
 * and for more than a million characters, `REQUEST_INVALID` for a variable without a value.
 */
export async function runNativeQuery(
  model: ModelView,
  { connectionName, query }: NativeQuery,
  variables: Variables,
  call: CallContext,
): Promise<readonly SqlRow[]> {
  const source = sourcesOf(model).find(({ nativeQueryConnections }) =>
    nativeQueryConnections?.includes(connectionName),
  );
  if (!source?.nativeQuery) throw unknownConnection(connectionName);
  if (query.length > maxQueryLength) throw tooLong();
  const { sql, values } = withBoundVariables(query, variables);
  const bound = Object.entries(values).map(([name, value]) => [name, sqlValue(value)] as const);
  return source.nativeQuery(sql, Object.fromEntries(bound), queryContext(call));
}

function sourcesOf(model: ModelView): readonly DataSource[] {
  return [...new Set([...model.collections.values()].map(({ dataSource }) => dataSource))];
}

function sqlValue(value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return JSON.stringify(value);
}

function tooLong(): CloudError {
  return cloudError(
    'DATABASE_NATIVE_QUERY_REFUSED',
    `A native query has at most ${maxQueryLength} characters.`,
    'Shorten the query, or make it a view of the database.',
  );
}

function unknownConnection(name: string): CloudError {
  return cloudError(
    'REQUEST_UNPROCESSABLE',
    `No data source takes queries under the name "${name}".`,
    'Name it in liveQueryConnections of the data source, or correct connectionName.',
    { details: { parameter: 'connectionName' } },
  );
}
