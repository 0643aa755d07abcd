import { type CompiledCollection, isValueField, type ModelView } from '../../model/compiled-model.ts';
import { joinPath } from '../../model/field-path.ts';
import type { SearchAudience } from './search-audience.ts';

/** Each relation is a join. */
const maxRelations = 10;

/**
 * The path, in original names, that a typed name like `customer.full-name` stands for: case, `-`, `_` and spaces do not
 * count, a name that is written exactly goes first. `undefined` when there is no such field.
 */
export function pathOfName(
  model: ModelView,
  collection: CompiledCollection,
  typed: string,
  audience: Pick<SearchAudience, 'fieldNames'>,
  relations = maxRelations,
): string | undefined {
  const names = audience.fieldNames(collection.name);
  const whole = nameAmong(names, typed);
  const field = whole === undefined ? undefined : collection.fields.get(whole);
  if (field && isValueField(field)) return whole;
  const dot = typed.indexOf('.');
  const relation = dot === -1 || relations === 0 ? undefined : nameAmong(names, typed.slice(0, dot));
  const step = relation === undefined ? undefined : collection.fields.get(relation);
  const foreign = step && !isValueField(step) ? model.collections.get(step.foreignCollection) : undefined;
  const rest = foreign && pathOfName(model, foreign, typed.slice(dot + 1), audience, relations - 1);
  return relation !== undefined && rest !== undefined ? joinPath(relation, rest) : undefined;
}

/** The name among `names` that a typed name means. */
function nameAmong(names: ReadonlyMap<string, string>, typed: string): string | undefined {
  const exact = names.get(typed);
  if (exact !== undefined) return exact;
  const wanted = comparableName(typed);
  for (const [name, original] of names) if (comparableName(name) === wanted) return original;
  return undefined;
}

function comparableName(name: string): string {
  return name.replaceAll(/[-_\s]/g, '').toLowerCase();
}
