import { DateTime } from 'luxon';
import type { SearchOptions } from '../../customizer/query-definition.ts';
import { type CompiledCollection, columnOf, type ModelView } from '../../model/compiled-model.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import {
  literalTerm,
  literalText,
  parseSearch,
  type SearchExpression,
  type SearchTerm,
  termsOf,
} from '../../query/search/parse-search.ts';
import { termCondition } from '../../query/search/term-condition.ts';
import { isOfOneRecord, type RelatedTerms } from './related-terms.ts';
import type { SearchAudience } from './search-audience.ts';
import { defaultFields, type FieldInSearch, namedField, pathOfName } from './search-fields.ts';

/** The input of a search, besides its text. */
export interface SearchSetting extends Pick<SearchAudience, 'fieldNames'> {
  readonly model: ModelView;
  readonly collection: CompiledCollection;
  /** The collections that may be looked into through relations. */
  readonly readable: ReadonlySet<string>;
  readonly timezone: string;
  /** Takes the conditions that must be asked of related records one by one. */
  readonly related: RelatedTerms;
}

/** A statement does not take any number of conditions. */
const maxConditions = 4000;
const longestRow = 100;

/**
 * The condition of a search, in original names. A term is met by any of the fields, a negated one by all of them; where no
 * field can hold it, by no record, and negated by every record.
 *
 * @throws `REQUEST_FIELD_UNKNOWN` or `REQUEST_INVALID` for an option that names no field.
 */
export function defaultSearch(setting: SearchSetting, search: string, options: SearchOptions = {}): ConditionTree {
  if (search.trim() === '') return { aggregator: 'And', conditions: [] };
  const { fields, fieldNamed } = fieldsOf(setting, options);
  const now = DateTime.now().setZone(setting.timezone);
  const parsed = parseSearch(search);
  const isTooMuch = termsOf(parsed).length * fields.length > maxConditions;
  return treeOf(isTooMuch ? literalTerm(search.trim()) : parsed);

  function treeOf(expression: SearchExpression): ConditionTree {
    if (expression.kind === 'term') return termTree(expression);
    return { aggregator: expression.kind === 'all' ? 'And' : 'Or', conditions: expression.parts.map(treeOf) };
  }

  function termTree(term: SearchTerm): ConditionTree {
    const named = term.property === undefined ? undefined : fieldNamed(term.property);
    const text = named ? term.text : literalText(term);
    const conditions = (named ? [named] : fields).flatMap((field) => conditionIn(field, text, term.isNegated) ?? []);
    return branchOf(term.isNegated ? 'And' : 'Or', conditions);
  }

  function conditionIn(found: FieldInSearch, text: string, isNegated: boolean): ConditionTree | undefined {
    const { path, field, operators } = found;
    const searched = { path, column: columnOf(field), operators, now };
    if (found.foreign !== undefined && setting.related.isToMany(path)) {
      const condition = termCondition(searched, text, false);
      return condition && (isNegated || isOfOneRecord(condition))
        ? setting.related.postpone(path, condition, isNegated)
        : condition;
    }
    return termCondition(searched, text, isNegated);
  }
}

/** Databases limit how deep an expression may be, and read a row of conditions as one inside the other. */
function branchOf(aggregator: 'And' | 'Or', conditions: readonly ConditionTree[]): ConditionTree {
  if (conditions.length <= longestRow) return { aggregator, conditions };
  const rows = Array.from({ length: Math.ceil(conditions.length / longestRow) }, (_, index) => ({
    aggregator,
    conditions: conditions.slice(index * longestRow, (index + 1) * longestRow),
  }));
  return { aggregator, conditions: rows };
}

/** The fields that terms without a name are looked for in, and the fields that names lead to. */
function fieldsOf(setting: SearchSetting, options: SearchOptions) {
  const { model, collection, readable } = setting;
  const { extended = false, onlyFields, includeFields = [], excludeFields = [] } = options;
  for (const path of excludeFields) namedField(model, collection, path);
  const excluded = new Set(excludeFields);
  const chosen = [...(onlyFields ?? []), ...includeFields].map((path) => namedField(model, collection, path));
  const usual = onlyFields ? [] : defaultFields(model, collection, setting, { isExtended: extended, readable });
  // Those that were chosen come last: they may use more operators.
  const byPath = new Map([...usual, ...chosen].map((field) => [field.path, field]));
  for (const path of excluded) byPath.delete(path);

  function fieldNamed(typed: string): FieldInSearch | undefined {
    const path = pathOfName(model, collection, typed, setting);
    if (path === undefined || excluded.has(path)) return undefined;
    const field = namedField(model, collection, path);
    if (chosen.some((each) => each.path === path)) return field;
    const isAllowed = !onlyFields && (field.foreign === undefined || readable.has(field.foreign));
    return isAllowed ? field : undefined;
  }
  return { fields: [...byPath.values()], fieldNamed };
}
