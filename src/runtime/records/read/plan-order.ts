import type { CompiledCollection, ModelView } from '../../model/compiled-model.ts';
import { joinPath, resolvePath } from '../../model/field-path.ts';
import { pathBreak } from '../../model/native-path.ts';
import type { SortClause } from '../../query/record-query.ts';

export interface PlannedOrder {
  /** On columns and computed fields. */
  readonly clauses: readonly SortClause[];
  /** Whether the database can sort so; else the records are sorted when they have been read. */
  readonly isNative: boolean;
}

/** The result of planning a checked sort: replaced clauses and imports are resolved. */
export function planOrder(model: ModelView, collection: CompiledCollection, sort: readonly SortClause[]): PlannedOrder {
  let isNative = true;

  function expand(clause: SortClause): readonly SortClause[] {
    const { field: path, ascending } = clause;
    const { collection: owner, field, relationPath } = resolvePath(model, collection, path);
    const replacement = owner.rules.get(field.name)?.sort;
    if (replacement !== undefined && replacement !== 'emulated') {
      return replacement.flatMap((part) =>
        expand({ field: joinPath(relationPath, part.field), ascending: part.ascending === ascending }),
      );
    }
    if (field.kind === 'imported') {
      return expand({ field: joinPath(relationPath, field.path), ascending });
    }
    isNative &&= field.kind === 'column' && replacement === undefined && !pathBreak(model, collection, path);
    return [clause];
  }

  const seen = new Set<string>();
  const clauses = sort.flatMap(expand).filter(({ field }) => !seen.has(field) && seen.add(field));
  return { clauses, isNative };
}
