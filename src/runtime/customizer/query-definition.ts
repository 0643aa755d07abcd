import type { ConditionTree } from '../query/condition-tree.ts';
import type { CustomizationContext } from './customization-context.ts';

/** The condition that stands for an operator on a field; on other fields of the collection, as a rule. */
export type OperatorHandler = (value: unknown, context: CustomizationContext) => ConditionTree | Promise<ConditionTree>;

export interface SearchOptions {
  /** Search the collections behind to-one relations too. */
  readonly extended?: boolean;
  /** Only these fields. */
  readonly onlyFields?: readonly string[];
  /** These fields beside those that are searched anyway. */
  readonly includeFields?: readonly string[];
  readonly excludeFields?: readonly string[];
}

export interface SearchContext extends CustomizationContext {
  /** The condition of the search that the collection has by default, on other fields if asked for. */
  generateSearchFilter(search: string, options?: SearchOptions): ConditionTree;
}

/** The condition that stands for a search; nothing for no restriction. */
export type SearchHandler = (
  search: string,
  isExtended: boolean,
  context: SearchContext,
) => ConditionTree | undefined | null | Promise<ConditionTree | undefined | null>;
