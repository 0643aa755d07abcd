import type { ConditionTree } from '../query/condition-tree.ts';
import type { ConditionOn } from './condition-on.ts';
import type { CustomizationContext } from './customization-context.ts';

/** The condition that stands for an operator on a field; on other fields of the collection, as a rule. */
export type OperatorHandler = (value: unknown, context: CustomizationContext) => ConditionTree | Promise<ConditionTree>;

/** Fields by their original names, or paths `relation:field`; removed ones and those of any collection may be chosen. */
export interface SearchOptions {
  /** Search the collections behind to-one relations too. */
  readonly extended?: boolean;
  /** Only these fields: terms may name no other. */
  readonly onlyFields?: readonly string[];
  /** These fields beside those that are searched anyway. */
  readonly includeFields?: readonly string[];
  /** Not these fields, not even where a term names them. */
  readonly excludeFields?: readonly string[];
}

export interface SearchContext extends CustomizationContext {
  /**
   * The condition of the search that the collection has by default, on other fields if asked for. Terms name fields as the
   * caller sees them, or by their original names; no text opens a field that is removed, or that the caller may not read.
   *
   * @throws `CUSTOMIZATION_FAILED` for an option that names no field.
   * @example context.generateSearchFilter(search, { extended: true, excludeFields: ['notes'] })
   */
  generateSearchFilter(search: string, options?: SearchOptions): GeneratedCondition;
}

/** A condition that may stand among those of any collection. */
export type GeneratedCondition = ConditionOn<never>;

/** The condition that stands for a search; nothing for no restriction. */
export type SearchHandler = (
  search: string,
  isExtended: boolean,
  context: SearchContext,
) => ConditionTree | undefined | null | Promise<ConditionTree | undefined | null>;
