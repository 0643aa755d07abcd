import type { SchemaCollection } from '#contracts/schema-document';
import type { AgentConnection } from '../wire/agent-connection.ts';
import { type KnownSchema, targetOf } from '../wire/known-schema.ts';
import { packId, type RecordId } from '../wire/record-id.ts';
import type { PlainRecord } from './record-document.ts';
import { createRecordReader, type RecordReader } from './record-reader.ts';

/** What one record is linked to. A relation to many is read, associated and dissociated; a relation to one is linked. */
export interface RelationClient<Row> extends RecordReader<Row> {
  /** Add a record to a relation to many. */
  associate(id: RecordId): Promise<void>;
  /** Take records out of a relation to many. `delete` deletes them as well. */
  dissociate(ids: readonly RecordId[], options?: { readonly delete?: boolean }): Promise<void>;
  /** Make a relation to one lead to a record, or nowhere with `null`. */
  link(id: RecordId | null): Promise<void>;
}

export function createRelationClient(
  connection: AgentConnection,
  schema: KnownSchema,
  { owner, relation, parentId }: RelationAddress,
): RelationClient<PlainRecord> {
  const foreign = foreignOf(schema, owner, relation);
  const path = `/${encodeURIComponent(owner.name)}/${encodeURIComponent(packId(parentId))}/relationships/${encodeURIComponent(relation)}`;
  const columns = columnsOf(schema.collection(foreign));
  const reference = (id: RecordId) => ({ type: foreign, id: packId(id) });
  return {
    ...createRecordReader(connection, { path, collection: foreign, columns }),
    associate: async (id) => {
      await connection.ask({ method: 'POST', path, json: { data: [reference(id)] } });
    },
    dissociate: async (ids, options = {}) => {
      const query = new URLSearchParams(options.delete === true ? { delete: 'true' } : {});
      await connection.ask({ method: 'DELETE', path, query, json: { data: ids.map(reference) } });
    },
    link: async (id) => {
      await connection.ask({ method: 'PUT', path, json: { data: linkTo(schema, owner, relation, id) } });
    },
  };
}

/** What a relation to one leads to, as bodies have it. */
export function linkTo(schema: KnownSchema, owner: SchemaCollection, relation: string, id: RecordId | null) {
  return id === null ? null : { type: foreignOf(schema, owner, relation), id: packId(id) };
}

function foreignOf(schema: KnownSchema, owner: SchemaCollection, relation: string): string {
  return targetOf(schema.relation(owner, relation)) ?? relation;
}

export interface RelationAddress {
  readonly owner: SchemaCollection;
  readonly relation: string;
  readonly parentId: RecordId;
}

/** The fields of a collection that are not relations. */
export function columnsOf({ fields }: SchemaCollection): readonly string[] {
  return fields.filter(({ relationship }) => relationship === undefined).map(({ field }) => field);
}
