import { type CompiledCollection, isValueField, type ModelView } from '../../model/compiled-model.ts';
import { conditionOfKeys } from '../../model/record-id.ts';
import type { JoinPairs, ToOneRelation } from '../../query/collection-schema.ts';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import { setValue } from '../../query/shape-record.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { type NeededRights, scopeCondition } from '../read/record-filter.ts';
import { identityReader } from '../read/run-steps.ts';
import type { RecordReader } from '../request/record-reader.ts';

/** A write of a caller, with the scopes that it must stay in. Original names. */
export interface ScopedWrite extends Pick<SentRecord, 'collection' | 'columns'> {
  /** The right by which the caller writes. */
  readonly right: 'add' | 'edit';
  /** The scope of the caller on the collection; `undefined` for none. */
  readonly scope: ConditionTree | undefined;
  /** The keys that are set, as far as the collections that they lead to have a scope. */
  readonly keys: readonly ScopedKey[];
  /** The written partners that have a scope, or keys with one. */
  readonly partners: readonly ScopedPartner[];
}

interface ScopedKey extends LinkKey {
  readonly scope: ConditionTree;
}

interface ScopedPartner {
  readonly relation: ToOneRelation;
  readonly write: ScopedWrite;
}

/**
 * `undefined` where no scope has a say in it.
 *
 * @param verb an update moves a record out of scope by the columns that the scope looks at, and by no other.
 */
export async function scopedWrite(
  reader: RecordReader,
  sent: SentRecord,
  verb: 'create' | 'update' | 'partner',
  context: CallContext,
): Promise<ScopedWrite | undefined> {
  const { collection, columns } = sent;
  const right = verb === 'create' ? 'add' : 'edit';
  const own = await scopeOn(reader, collection.name, right, context);
  const scope = own && (verb !== 'update' || looksAt(own, sent)) ? own : undefined;
  const keys: ScopedKey[] = [];
  for (const key of linkKeysOf(reader.engine.model, collection)) {
    if (!isSet(key, columns)) continue;
    const scopeOfTarget = await scopeOn(reader, key.foreignCollection, 'read', context);
    if (scopeOfTarget) keys.push({ ...key, scope: scopeOfTarget });
  }
  const partners: ScopedPartner[] = [];
  for (const { relation, sent: behind } of sent.partners) {
    const write = await scopedWrite(reader, behind, 'partner', context);
    if (write) partners.push({ relation, write });
  }
  const isScoped = scope !== undefined || keys.length > 0 || partners.length > 0;
  return isScoped ? { collection, columns, right, scope, keys, partners } : undefined;
}

/** Whether the condition is about something that is sent. Of what is worked out from columns it is always assumed. */
function looksAt(scope: ConditionTree, sent: SentRecord): boolean {
  if (isBranch(scope)) return scope.conditions.some((condition) => looksAt(condition, sent));
  const { collection, columns, partners } = sent;
  const [first = ''] = scope.field.split(':');
  const field = collection.fields.get(scope.field) ?? collection.fields.get(first);
  if (field?.kind === 'column' && !field.expression) return Object.hasOwn(columns, field.name);
  if (field?.kind !== 'ManyToOne') return true;
  const isRelinked = field.join.some(({ local }) => Object.hasOwn(columns, local));
  return isRelinked || partners.some(({ relation }) => relation.name === field.name);
}

/** A part of a key that is emptied makes it lead nowhere. */
function isSet({ join }: LinkKey, columns: SentRecord['columns']): boolean {
  const sent = join.flatMap(({ local }) => (Object.hasOwn(columns, local) ? [columns[local]] : []));
  return sent.length > 0 && sent.every((value) => value !== null);
}

/** The scope in which a caller has a right on a collection, in original names. A collection that is not published has no scope. */
export async function scopeOn(
  { model, authoriser }: RecordReader,
  name: CompiledCollection['name'],
  right: NeededRights,
  { caller }: CallContext,
): Promise<ConditionTree | undefined> {
  const published = model.collections.get(name);
  return published && scopeCondition(model, published, authoriser, caller, right);
}

/** Columns of a collection (`local`) that name a record of another one, by columns of that one (`foreign`). */
interface LinkKey {
  readonly foreignCollection: string;
  readonly join: JoinPairs;
}

/** The keys of a collection by which a relation leads to one record, whichever side declares it; each once. */
function linkKeysOf(model: ModelView, collection: CompiledCollection): readonly LinkKey[] {
  const found = [...model.collections.values()].flatMap((owner) => keysBetween(owner, collection));
  return [...new Map(found.map((key) => [identityOf(key), key])).values()];
}

/** The keys of `collection` that relations of `owner` are made of. */
function keysBetween(owner: CompiledCollection, collection: CompiledCollection): LinkKey[] {
  const toOwner = (join: JoinPairs): LinkKey[] =>
    isPrimaryKey(owner, join) ? [{ foreignCollection: owner.name, join: reversed(join) }] : [];
  return [...owner.fields.values()].flatMap((field) => {
    if (isValueField(field)) return [];
    if (field.kind === 'ManyToMany') {
      if (field.throughCollection !== collection.name) return [];
      return [...toOwner(field.originJoin), { foreignCollection: field.foreignCollection, join: field.foreignJoin }];
    }
    if (field.kind !== 'ManyToOne') return field.foreignCollection === collection.name ? toOwner(field.join) : [];
    return owner === collection ? [{ foreignCollection: field.foreignCollection, join: field.join }] : [];
  });
}

/** Other columns may be the same in many records, so a value of them names none. */
function isPrimaryKey({ primaryKey }: CompiledCollection, join: JoinPairs): boolean {
  return join.length === primaryKey.length && join.every(({ local }) => primaryKey.includes(local));
}

function reversed(join: JoinPairs): JoinPairs {
  return join.map(({ local, foreign }) => ({ local: foreign, foreign: local }));
}

function identityOf({ foreignCollection, join }: LinkKey): string {
  const pairs = join.map(({ local, foreign }) => [local, foreign]).sort();
  return JSON.stringify([foreignCollection, pairs]);
}

/**
 * A write of a caller, divided by the records that it reaches: those behind imported fields are partners. Original names.
 */
export interface SentRecord {
  readonly collection: CompiledCollection;
  readonly columns: RecordData;
  readonly partners: readonly SentPartner[];
}

export interface SentPartner {
  readonly relation: ToOneRelation;
  readonly sent: SentRecord;
}

/** Fields whose writing is replaced are left out: what becomes of them is up to the customization. */
export function sentRecord(engine: RecordEngine, collection: CompiledCollection, record: RecordData): SentRecord {
  const columns: Record<string, unknown> = {};
  const behind = new Map<string, Record<string, unknown>>();
  for (const [name, value] of Object.entries(record)) {
    if (collection.writeHandlers.has(name)) continue;
    const field = collection.fields.get(name);
    const path = field?.kind === 'imported' ? field.path : name;
    const end = field && field.kind !== 'imported' ? -1 : path.indexOf(':');
    if (end < 0) {
      setValue(columns, name, value);
      continue;
    }
    const nested = behind.get(path.slice(0, end)) ?? {};
    setValue(nested, path.slice(end + 1), value);
    behind.set(path.slice(0, end), nested);
  }
  const partners = [...behind].map(([name, nested]) => {
    // An import leads through to-one relations only.
    const relation = collection.fields.get(name) as ToOneRelation;
    return { relation, sent: sentRecord(engine, engine.collectionNamed(relation.foreignCollection), nested) };
  });
  return { collection, columns, partners };
}

/** The columns of the near records that relations start from. */
export function joinColumns(partners: readonly { readonly relation: ToOneRelation }[]): readonly string[] {
  return partners.flatMap(({ relation }) => relation.join.map(({ local }) => local));
}

/** The records that others lead to by their columns, and how many; `undefined` for none. */
export function targetsOf(
  foreign: CompiledCollection,
  join: JoinPairs,
  records: readonly RecordData[],
): { readonly where: ConditionTree; readonly count: number } | undefined {
  const locals = join.map(({ local }) => local);
  const columns = join.map((pair) => pair.foreign);
  const identityOfTarget = identityReader(foreign, columns, locals);
  const byTarget = new Map(records.map((record) => [identityOfTarget(record), record]));
  byTarget.delete(undefined);
  if (byTarget.size === 0) return undefined;
  const keys = [...byTarget.values()].map((record) => locals.map((local) => record[local]));
  return { where: conditionOfKeys(columns, keys), count: byTarget.size };
}
