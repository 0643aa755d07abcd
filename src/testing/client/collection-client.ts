import type { SchemaCollection } from '#contracts/schema-document';
import type { AnySchema, SchemaShape } from '#runtime/index';
import type { ActionClient } from '../actions/action-client.ts';
import { type ActionSelection, openAction } from '../actions/open-action.ts';
import type { CollectionCharts } from '../charts/chart-client.ts';
import { createCollectionCharts } from '../charts/chart-requests.ts';
import { unexpectedAnswer } from '../errors/agent-test-errors.ts';
import { type CollectionCapabilities, readCapabilities } from '../records/capabilities.ts';
import { type AllRecords, type LiveQuery, listQuery, selectionOfAll, selectionOfIds } from '../records/list-query.ts';
import { type PlainRecord, recordsOf, type TestRecord } from '../records/record-document.ts';
import { createRecordReader, type RecordReader } from '../records/record-reader.ts';
import { columnsOf, createRelationClient, linkTo, type RelationClient } from '../records/relation-client.ts';
import type { AgentConnection } from '../wire/agent-connection.ts';
import type { KnownSchema } from '../wire/known-schema.ts';
import { packId, type RecordId } from '../wire/record-id.ts';
import type { Approvals } from '../wire/sandbox-client.ts';

/** Values by the names of the fields, as the schema of the agent writes them: `full_name`. Dates may be `Date`, large integers `bigint`. */
export type Attributes = Readonly<Record<string, unknown>>;

/**
 * One collection, asked for over the REST API of the agent by the user of the client. Everything rejects with `AgentHttpError`
 * when the agent refuses, with `TEST_AGENT_UNREACHABLE`, and with `UnknownNameError` for a name that the schema does not have.
 */
export interface CollectionClient<Row = PlainRecord> extends RecordReader<Row>, CollectionCharts {
  /** One record. Rejects with `AgentHttpError` of status 404 if there is none that the user sees. */
  getOne(id: RecordId, options?: { readonly fields?: readonly string[] }): Promise<Row>;
  /** The created record. `links` are the records that its relations to one lead to, by their names; throws `UnknownNameError`. */
  create(attributes: Attributes, links?: Readonly<Record<string, RecordId | null>>): Promise<Row>;
  /** The record afterwards; `null` when the user sees none of that id. */
  update(id: RecordId, attributes: Attributes): Promise<Row | null>;
  delete(ids: readonly RecordId[]): Promise<void>;
  /** Delete every record that fits; without options, all of the collection. */
  deleteAll(options?: AllRecords): Promise<void>;
  /** Bring a deleted record back, where deletion marks records. */
  restore(id: RecordId): Promise<void>;
  /** What clients may ask of the collection. */
  capabilities(): Promise<CollectionCapabilities>;
  /** The records of a segment of the code. Throws `UnknownNameError`. */
  segment(name: string): RecordReader<Row>;
  /** The records of a segment that is a query of a database. Users need a level above user, or a team that has this very query. */
  liveQuerySegment(query: LiveQuery): RecordReader<Row>;
  /** What a record is linked to. Throws `UnknownNameError`. */
  relation(name: string, parentId: RecordId): RelationClient<PlainRecord>;
  /** An action, with its form as it opens. A Global action needs no selection. */
  action(name: string, selection?: ActionSelection): Promise<ActionClient>;
}

/** The client of one collection, with the types of the typings. */
export type CollectionClientOf<
  S extends SchemaShape<S> = AnySchema,
  C extends Extract<keyof S, string> = Extract<keyof S, string>,
> = CollectionClient<TestRecord<S, C>>;

export interface CollectionParts {
  readonly connection: AgentConnection;
  readonly schema: KnownSchema;
  readonly approvals: Approvals;
}

/** Throws `UnknownNameError`. */
export function createCollectionClient(name: string, parts: CollectionParts): CollectionClient {
  const { connection, schema } = parts;
  const collection = schema.collection(name);
  const path = `/${encodeURIComponent(name)}`;
  const place = { path, collection: name, columns: columnsOf(collection) };
  return {
    ...createRecordReader(connection, place),
    ...createRecordWriter(connection, schema, collection, path),
    ...createCollectionCharts(connection, name),
    capabilities: () => readCapabilities(connection, name),
    segment: (segment) => createRecordReader(connection, place, { segment: schema.segment(collection, segment) }),
    liveQuerySegment: (liveQuery) => createRecordReader(connection, { ...place, liveQuery }),
    relation: (relation, parentId) =>
      createRelationClient(connection, schema, { owner: collection, relation, parentId }),
    action: (action, selection = {}) =>
      openAction({ ...parts, collection: name, action: schema.action(collection, action), selection }),
  };
}

function createRecordWriter(
  connection: AgentConnection,
  schema: KnownSchema,
  collection: SchemaCollection,
  path: string,
): Pick<CollectionClient, 'getOne' | 'create' | 'update' | 'delete' | 'deleteAll' | 'restore'> {
  const { name } = collection;
  const recordPath = (id: RecordId) => `${path}/${encodeURIComponent(packId(id))}`;
  const bodyOf = (attributes: Attributes) => ({ data: { type: name, attributes } });
  const deleteSelected = async (selection: object) => {
    const attributes = { collection_name: name, ...selection };
    await connection.ask({ method: 'DELETE', path, json: { data: { type: 'action-requests', attributes } } });
  };
  return {
    getOne: async (id, options = {}) => {
      const query = listQuery(name, options);
      return onlyOne(name, await connection.ask({ method: 'GET', path: recordPath(id), query }));
    },
    create: async (attributes, links = {}) => {
      const relationships = Object.fromEntries(
        Object.entries(links).map(([relation, id]) => [relation, { data: linkTo(schema, collection, relation, id) }]),
      );
      const json = { data: { type: name, attributes, relationships } };
      return onlyOne(name, await connection.ask({ method: 'POST', path, json }));
    },
    update: async (id, attributes) => {
      const body = await connection.ask({ method: 'PUT', path: recordPath(id), json: bodyOf(attributes) });
      return recordsOf(body)[0] ?? null;
    },
    delete: (ids) => deleteSelected(selectionOfIds(ids)),
    deleteAll: (options = {}) => deleteSelected(selectionOfAll(name, options)),
    restore: async (id) => {
      await connection.ask({ method: 'POST', path: `${recordPath(id)}/restore` });
    },
  };
}

function onlyOne(name: string, body: unknown): PlainRecord {
  const [record] = recordsOf(body);
  if (record) return record;
  throw unexpectedAnswer(`The agent answered with no record of "${name}".`, body);
}
