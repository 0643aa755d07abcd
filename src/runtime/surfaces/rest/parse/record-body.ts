import { invalidRequest } from '#kernel/errors/request-errors';
import type { CompiledCollection, CompiledModel } from '../../../model/compiled-model.ts';
import { unpackId } from '../../../model/record-id.ts';
import type { ToOneRelation } from '../../../query/collection-schema.ts';
import type { RecordData } from '../../../query/record-query.ts';
import type { LinkedRecord, NewRecord } from '../../../records/request/record-service.ts';
import { isJsonObject, type JsonObject, memberOf } from '../../request/request-bodies.ts';

/** `data.attributes`, the key in `data.id` and the to-one relations of a JSON:API document. */
export function parseRecordToCreate(model: CompiledModel, collection: CompiledCollection, body: unknown): NewRecord {
  const data = objectAt(body, 'data') ?? {};
  const key = data['id'] === undefined ? {} : keyRecord(collection, data['id']);
  const holders: LinkedRecord[] = [];
  const references: LinkedRecord[] = [];
  const cleared: Record<string, unknown> = {};
  const foreignKeys: Record<string, unknown> = {};
  for (const [name, relationship] of Object.entries(objectAt(data, 'relationships') ?? {})) {
    const field = collection.fields.get(name);
    if (field?.kind === 'OneToMany' || field?.kind === 'ManyToMany') continue;
    const isToOne = field?.kind === 'ManyToOne' || field?.kind === 'OneToOne';
    const foreign = isToOne ? model.collections.get(field.foreignCollection) : undefined;
    if (!isToOne || !foreign) throw unknownRelationship(collection, name);
    const target = linkedKey(foreign, name, relationship);
    const isKnown = target === null || field.join.every((pair) => Object.hasOwn(target, pair.foreign));
    if (field.kind === 'ManyToOne' && isKnown) {
      Object.assign(target ? foreignKeys : cleared, foreignKeyOf(field, target));
    } else if (target) {
      const record = { relation: name, collection: foreign.name, key: target, id: valuesOfKey(foreign, target) };
      (field.kind === 'ManyToOne' ? references : holders).push(record);
    }
  }
  const attributes = { ...key, ...(objectAt(data, 'attributes') ?? {}) };
  return { attributes, foreignKeys: { ...cleared, ...foreignKeys }, references, holders };
}

/** The columns a request to update a record names. Its relationships are ignored: they have routes of their own. */
export function parsePatch(collection: CompiledCollection, body: unknown): RecordData {
  const data = objectAt(body, 'data');
  if (!data) throw missing('data');
  const attributes = objectAt(data, 'attributes');
  if (data['id'] !== undefined) unpackId(collection, data['id']);
  if (!attributes) throw missing('data.attributes');
  if (Object.keys(attributes).length === 0 && data['id'] === undefined) throw missing('data.attributes');
  return attributes;
}

/** The values that the record must still have, in `meta.ifMatch`; `undefined` where there are none. */
export function parseIfMatch(body: unknown): (() => RecordData) | undefined {
  const sent = memberOf(memberOf(body, 'meta'), 'ifMatch');
  if (sent === undefined) return undefined;
  return () => {
    if (isJsonObject(sent)) return sent;
    throw invalidRequest('"meta.ifMatch" must be an object.', 'Send the values that you have seen, by field.');
  };
}

function linkedKey(foreign: CompiledCollection, name: string, relationship: unknown): RecordData | null {
  const data = memberOf(relationship, 'data');
  if (data === null) return null;
  if (isJsonObject(data)) return keyRecord(foreign, data['id']);
  throw invalidRequest(
    `The relationship "${name}" has no data.`,
    `Send {"data": {"type": "${foreign.name}", "id": "…"}} or {"data": null}.`,
  );
}

function foreignKeyOf({ join }: ToOneRelation, target: RecordData | null): RecordData {
  return Object.fromEntries(join.map(({ local, foreign }) => [local, target === null ? null : target[foreign]]));
}

function valuesOfKey({ primaryKey }: CompiledCollection, key: RecordData): readonly unknown[] {
  return primaryKey.map((name) => key[name]);
}

function keyRecord(collection: CompiledCollection, id: unknown): RecordData {
  const values = unpackId(collection, id);
  return Object.fromEntries(collection.primaryKey.map((name, index) => [name, values[index]]));
}

/** A member that is an object; `undefined` where it is absent. Throws `REQUEST_INVALID` when it is something else. */
function objectAt(parent: unknown, name: string): JsonObject | undefined {
  const member = memberOf(parent, name);
  if (member === undefined || member === null) return undefined;
  if (isJsonObject(member)) return member;
  throw invalidRequest(`The member "${name}" of the body must be an object.`, 'Send a JSON:API document.');
}

function missing(member: string) {
  return invalidRequest(`The body has no ${member}.`, 'Send {"data": {"attributes": {…}}}.');
}

function unknownRelationship(collection: CompiledCollection, name: string) {
  return invalidRequest(
    `"${collection.name}" has no relation "${name}".`,
    'Use the relations of the schema of the collection.',
  );
}
