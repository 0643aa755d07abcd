import { type CompiledCollection, type CompiledModel, isValueField } from '../../../model/compiled-model.ts';
import { hasKey, packId } from '../../../model/record-id.ts';
import type { RecordData } from '../../../query/record-query.ts';
import { literalText, parseSearch, type SearchTerm, termsOf } from '../../../query/search/parse-search.ts';
import { codeAudience } from '../../../records/search/search-audience.ts';
import { pathOfName } from '../../../records/search/search-fields.ts';

interface Wanted {
  readonly text: string;
  /** The one attribute that it is looked for in; any when absent. */
  readonly attribute?: string;
}

/**
 * Which attributes of a page of records hold the searched text, or one of its terms, by running number, for the client to
 * highlight. Nothing is said of records without a key, which no id tells apart. A term that names a field is looked for there, a negated one nowhere. `undefined` when no attribute holds any:
 * the search matched a related record, or by something that is not a text.
 *
 * @param model the published one, whose names the attributes have.
 * @param searched the original names of the columns that a search of the project's own looked at; all of them when absent.
 */
export function searchDecorators(
  model: CompiledModel,
  collection: CompiledCollection,
  records: readonly RecordData[],
  search: string,
  searched?: ReadonlySet<string>,
) {
  const terms = termsOf(parseSearch(search)).flatMap((term) => wantedBy(model, collection, term));
  const wanted = [{ text: lowered(search) }, ...terms];
  const hits = records.flatMap((record) => {
    const names = Object.keys(record).filter((name) => {
      const field = collection.fields.get(name);
      if (!field || !isValueField(field)) return false;
      if (searched && !searched.has(model.names.originalPath(collection.name, name))) return false;
      const text = textOf(record[name]);
      return wanted.some(
        (each: Wanted) => (each.attribute === undefined || each.attribute === name) && text?.includes(each.text),
      );
    });
    return names.length > 0 && hasKey(collection, record) ? [{ id: packId(collection, record), search: names }] : [];
  });
  return hits.length > 0 ? { decorators: { ...hits } } : undefined;
}

function wantedBy(model: CompiledModel, collection: CompiledCollection, term: SearchTerm): Wanted[] {
  if (term.isNegated || term.text === '' || term.text === 'NULL') return [];
  const path =
    term.property === undefined ? undefined : pathOfName(model, collection, term.property, codeAudience(model));
  // Records behind relations are not attributes.
  if (path?.includes(':')) return [];
  return path === undefined ? [{ text: lowered(literalText(term)) }] : [{ text: lowered(term.text), attribute: path }];
}

function lowered(text: string): string {
  return text.trim().toLowerCase();
}

/** `undefined` for values that are not searched: null, zero, false. */
function textOf(value: unknown): string | undefined {
  if (!value) return undefined;
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).toLowerCase();
}
