import type { CompiledCollection } from '../../model/compiled-model.ts';
import { type LinkKey, linkKeysOf } from '../../model/link-keys.ts';
import type { ToOneRelation } from '../../query/collection-schema.ts';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import type { CallContext } from '../calls/call-context.ts';
import { scopeCondition } from '../read/record-filter.ts';
import type { RecordReader } from '../request/record-reader.ts';
import type { SentRecord } from './sent-record.ts';

/** A write of a caller, with the scopes that it must stay in. Original names. */
export interface ScopedWrite extends Pick<SentRecord, 'collection' | 'columns'> {
  /** The scope of the caller on the collection; `undefined` for none. */
  readonly scope: ConditionTree | undefined;
  /** The keys that are set, as far as the collections that they lead to have a scope. */
  readonly keys: readonly ScopedKey[];
  /** The written partners that have a scope, or keys with one. */
  readonly partners: readonly ScopedPartner[];
}

export interface ScopedKey extends LinkKey {
  readonly scope: ConditionTree;
}

export interface ScopedPartner {
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
  const own = await scopeOn(reader, collection.name, context);
  const scope = own && (verb !== 'update' || looksAt(own, sent)) ? own : undefined;
  const keys: ScopedKey[] = [];
  for (const key of linkKeysOf(reader.engine.model, collection)) {
    if (!isSet(key, columns)) continue;
    const scopeOfTarget = await scopeOn(reader, key.foreignCollection, context);
    if (scopeOfTarget) keys.push({ ...key, scope: scopeOfTarget });
  }
  const partners: ScopedPartner[] = [];
  for (const { relation, sent: behind } of sent.partners) {
    const write = await scopedWrite(reader, behind, 'partner', context);
    if (write) partners.push({ relation, write });
  }
  const isScoped = scope !== undefined || keys.length > 0 || partners.length > 0;
  return isScoped ? { collection, columns, scope, keys, partners } : undefined;
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

/** The scope of a caller on a collection, in original names. A collection that is not published has no scope. */
export async function scopeOn(
  { model, authoriser }: RecordReader,
  name: CompiledCollection['name'],
  { caller }: CallContext,
): Promise<ConditionTree | undefined> {
  const published = model.collections.get(name);
  return published && scopeCondition(model, published, authoriser, caller);
}
