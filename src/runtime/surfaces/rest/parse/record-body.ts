import { invalidRequest } from '#kernel/errors/request-errors';
import type { CompiledCollection, CompiledModel } from '../../../model/compiled-model.ts';
import { unpackId } from '../../../model/record-id.ts';
import type { ToOneRelation } from '../../../query/collection-schema.ts';
import type { RecordData } from '../../../query/record-query.ts';
import type { LinkedPatch, LinkedRecord, NewRecord } from '../../../records/request/record-service.ts';
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

/**
 * The columns that an update names. Where `meta.writesRelationships` says so, also where relations lead that the record itself holds. By
 * themselves relationships are ignored: clients of this API may send all of them, changed or not.
 */
export function parsePatch(model: CompiledModel, collection: CompiledCollection, body: unknown): LinkedPatch {
  const data = objectAt(body, 'data');
  if (!data) throw missing('data');
  const attributes = objectAt(data, 'attributes');
  if (data['id'] !== undefined) unpackId(collection, data['id']);
  const relationships = writesRelationships(body) ? Object.entries(objectAt(data, 'relationships') ?? {}) : [];
  const isEmpty = !attributes || (Object.keys(attributes).length === 0 && data['id'] === undefined);
  if (isEmpty && relationships.length === 0) throw missing('data.attributes');
  const references: LinkedRecord[] = [];
  const cleared: Record<string, unknown> = {};
  for (const [name, relationship] of relationships) {
    const field = heldHere(collection, name);
    const foreign = model.collections.get(field.foreignCollection);
    if (!foreign) throw unknownRelationship(collection, name);
    const key = linkedKey(foreign, name, relationship);
    if (key) references.push({ relation: name, collection: foreign.name, key, id: valuesOfKey(foreign, key) });
    else Object.assign(cleared, foreignKeyOf(field, null));
  }
  return { attributes: attributes ?? {}, foreignKeys: cleared, references };
}

function writesRelationships(body: unknown): boolean {
  const sent = memberOf(memberOf(body, 'meta'), 'writesRelationships');
  if (sent === undefined || typeof sent === 'boolean') return sent === true;
  throw invalidRequest('"meta.writesRelationships" must be true or false.', 'Send true, or leave it out.');
}

/** The relation of that name, whose key is in the record itself. */
function heldHere(collection: CompiledCollection, relation: string): ToOneRelation {
  const field = collection.fields.get(relation);
  if (field?.kind === 'ManyToOne') return field;
  if (field === undefined || field.kind === 'column') throw unknownRelationship(collection, relation);
  throw invalidRequest(
    `An update does not write the relation "${relation}": records of another collection hold it.`,
    `Send it to /${collection.name}/<id>/relationships/${relation}.`,
  );
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
