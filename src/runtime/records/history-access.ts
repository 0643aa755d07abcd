import { DateTime } from 'luxon';
import { type CompiledCollection, collectionNamed } from '../model/compiled-model.ts';
import { columnLookup } from '../model/field-path.ts';
import { recordNotFound } from '../model/record-id.ts';
import { type ConditionTree, isBranch } from '../query/condition-tree.ts';
import { evaluateCondition } from '../query/evaluate-condition.ts';
import type { RecordData } from '../query/record-query.ts';
import { readInput } from './calls/call-context.ts';
import { intersect } from './read/record-filter.ts';
import { originalId, type RecordReader, scopeOf } from './request/record-reader.ts';
import type { RecordService } from './request/record-service.ts';

/** Decides who sees the history of a record. A record out of scope and one that never was look the same. */
export function historyAccess(reader: RecordReader): Pick<RecordService, 'requireHistory'> {
  const { model, authoriser, engine } = reader;
  return {
    async requireHistory(name, id, lastValues, context) {
      const collection = collectionNamed(model, name);
      await authoriser.require(context.caller, name, 'read');
      const where = originalId(reader, collection, readInput(id));
      const scope = await scopeOf(reader, collection, 'read', context);
      const stored = engine.collectionNamed(name);
      const all = stored.native.softDelete
        ? { ...context, deleted: { collection: name, choice: 'with' as const } }
        : context;
      if ((await engine.count(stored, intersect([where, scope]), all)) > 0) return;
      const isGone = (await engine.count(stored, where, all)) === 0;
      const last = isGone ? await lastValues() : undefined;
      const isMet = !scope || (last !== undefined && meets(stored, scope, last));
      if (!isGone || !isMet) throw recordNotFound(collection);
    },
  };

  /** Whether a record was in a scope, as far as its values tell: a path to other records tells nothing. */
  function meets(stored: CompiledCollection, scope: ConditionTree, values: RecordData): boolean {
    if (!fieldsOf(scope).every((field) => Object.hasOwn(values, field))) return false;
    return evaluateCondition(values, scope, columnLookup(model.original, stored), DateTime.utc());
  }
}

function fieldsOf(tree: ConditionTree): readonly string[] {
  return isBranch(tree) ? tree.conditions.flatMap(fieldsOf) : [tree.field];
}
