import { DateTime } from 'luxon';
import { isCloudError } from '#kernel/errors/cloud-error';
import { type CompiledCollection, collectionNamed } from '../model/compiled-model.ts';
import { columnLookup } from '../model/field-path.ts';
import { conditionOfKeys, keyValues, packId, recordNotFound, unpackId } from '../model/record-id.ts';
import { type ConditionTree, isBranch } from '../query/condition-tree.ts';
import { evaluateCondition } from '../query/evaluate-condition.ts';
import type { RecordData } from '../query/record-query.ts';
import { type CallContext, readInput } from './calls/call-context.ts';
import { intersect } from './read/record-filter.ts';
import { originalId, type RecordReader, scopeOf } from './request/record-reader.ts';
import type { RecordService } from './request/record-service.ts';

/** Decides who sees what is kept of records elsewhere: their history, and notes. A record out of scope and one that never was look the same. */
export function recordAccess(reader: RecordReader): Pick<RecordService, 'requireHistory' | 'readable'> {
  const { model, authoriser, engine } = reader;
  return {
    async requireHistory(name, id, lastValues, context) {
      const collection = collectionNamed(model, name);
      await authoriser.require(context.caller, name, 'read');
      const where = originalId(reader, collection, readInput(id));
      const scope = await scopeOf(reader, collection, 'read', context);
      const stored = engine.collectionNamed(name);
      const all = withDeleted(stored, context);
      if ((await engine.count(stored, intersect([where, scope]), all)) > 0) return;
      const isGone = (await engine.count(stored, where, all)) === 0;
      const last = isGone ? await lastValues() : undefined;
      const isMet = !scope || (last !== undefined && meets(stored, scope, last));
      if (!isGone || !isMet) throw recordNotFound(collection);
    },
    async readable(name, ids, context) {
      const collection = collectionNamed(model, name);
      await authoriser.require(context.caller, name, 'read');
      const keys = ids.flatMap((id) => knownKey(collection, id));
      if (keys.length === 0) return new Set();
      const asked = model.names.originalTree(name, conditionOfKeys(collection.primaryKey, keys));
      const where = intersect([asked, await scopeOf(reader, collection, 'read', context)]);
      const stored = engine.collectionNamed(name);
      const { primaryKey: projection } = stored;
      const records = await engine.list(stored, { projection, where }, withDeleted(stored, context));
      return new Set(records.map((record) => packId(stored, record)));
    },
  };

  /** Whether a record was in a scope, as far as its values tell: a path to other records tells nothing. */
  function meets(stored: CompiledCollection, scope: ConditionTree, values: RecordData): boolean {
    if (!fieldsOf(scope).every((field) => Object.hasOwn(values, field))) return false;
    return evaluateCondition(values, scope, columnLookup(model.original, stored), DateTime.utc());
  }
}

/** The context in which records that are marked as deleted are there as well. */
export function withDeleted({ name, native }: CompiledCollection, context: CallContext): CallContext {
  return native.softDelete ? { ...context, deleted: { collection: name, choice: 'with' } } : context;
}

/** The key of a packed id; none where no record can have it. */
function knownKey(collection: CompiledCollection, id: string): readonly (readonly unknown[])[] {
  try {
    return [keyValues(collection, unpackId(collection, id))];
  } catch (error) {
    if (isCloudError(error) && error.code === 'REQUEST_INVALID') return [];
    throw error;
  }
}

function fieldsOf(tree: ConditionTree): readonly string[] {
  return isBranch(tree) ? tree.conditions.flatMap(fieldsOf) : [tree.field];
}
