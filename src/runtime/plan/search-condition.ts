import type { SearchOptions } from '../customizer/query-definition.ts';
import type { ColumnSchema } from '../data-sources/collection-schema.ts';
import { columnValueProblem } from '../query/column-value.ts';
import type { ConditionLeaf, ConditionTree } from '../query/condition-tree.ts';
import { callHandler } from './call-handler.ts';
import type { CompiledCollection, ModelView } from './compiled-model.ts';
import { toOneRelations } from './default-projection.ts';
import type { RecordEngine } from './read/record-engine.ts';
import { checkedTree } from './record-filter.ts';
import type { CallContext } from './record-service.ts';

/** Where a search looks beside the collection itself. */
export interface SearchScope {
  /** Whether it looks behind to-one relations, as far as `isReadable`. */
  readonly isExtended: boolean;
  readonly isReadable: (collection: string) => boolean;
}

/** The condition of a search, in original names: what the customization says, else the default one. */
export async function searchCondition(
  engine: RecordEngine,
  collection: CompiledCollection,
  search: string,
  scope: SearchScope,
  call: CallContext,
): Promise<ConditionTree | undefined> {
  const handler = collection.search;
  if (!handler) return defaultSearch(engine.model, collection, search, scope);
  const subject = `The search of "${collection.name}"`;
  const context = {
    ...engine.contextOf(collection, call),
    generateSearchFilter: (text: string, { extended = false }: SearchOptions = {}) =>
      defaultSearch(engine.model, collection, text, { ...scope, isExtended: extended }),
  };
  const tree = await callHandler(subject, () => handler(search, scope.isExtended, context));
  return tree === null || tree === undefined ? undefined : checkedTree(engine, collection, tree, subject);
}

/** Some text contains it, or some number, UUID or enum value is it; case never matters. */
function defaultSearch(
  model: ModelView,
  collection: CompiledCollection,
  search: string,
  { isExtended, isReadable }: SearchScope,
): ConditionTree {
  const text = search.trim();
  const related = isExtended ? toOneRelations(model, collection).filter(({ foreign }) => isReadable(foreign.name)) : [];
  const conditions = [
    ...leavesOn(collection, '', text),
    ...related.flatMap(({ name, foreign }) => leavesOn(foreign, `${name}:`, text)),
  ];
  // No column can hold the text: an Or of nothing, which no record satisfies.
  return { aggregator: 'Or', conditions };
}

function leavesOn(collection: CompiledCollection, prefix: string, text: string): ConditionLeaf[] {
  return [...collection.fields.values()].flatMap((field) => {
    const leaf = field.kind === 'column' ? leafOn(field, text) : undefined;
    return leaf ? [{ ...leaf, field: `${prefix}${field.name}` }] : [];
  });
}

function leafOn(column: ColumnSchema, text: string): Omit<ConditionLeaf, 'field'> | undefined {
  switch (column.type) {
    case 'String':
      return column.operators.has('IContains') ? { operator: 'IContains', value: text } : undefined;
    case 'Uuid':
      return columnValueProblem(column, text) === undefined ? { operator: 'In', value: caseVariants(text) } : undefined;
    case 'Number':
      return numberLeaf(column, text);
    case 'Enum': {
      const value = column.enumValues?.find((name) => name.toLowerCase() === text.toLowerCase());
      return value === undefined ? undefined : { operator: 'Equal', value };
    }
    default:
      return undefined;
  }
}

function numberLeaf(column: ColumnSchema, text: string): Omit<ConditionLeaf, 'field'> | undefined {
  if (column.isExact)
    return columnValueProblem(column, text) === undefined ? { operator: 'Equal', value: text } : undefined;
  const value = Number(text);
  return text !== '' && Number.isFinite(value) ? { operator: 'Equal', value } : undefined;
}

/** Databases that keep UUIDs as text keep them in either case. */
function caseVariants(uuid: string): string[] {
  return [...new Set([uuid, uuid.toLowerCase(), uuid.toUpperCase()])];
}
