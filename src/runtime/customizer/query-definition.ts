import type { ConditionTree } from '../query/condition-tree.ts';
import type { ContextOn } from './context-on.ts';
import type { CustomizationContext } from './customization-context.ts';
import type { PathsOn } from './schema-path.ts';
import type { CollectionName, SchemaShape } from './schema-types.ts';

/** The condition that stands for an operator on a field; on other fields of the collection, as a rule. */
export type OperatorHandler = (value: unknown, context: CustomizationContext) => ConditionTree | Promise<ConditionTree>;

/** Fields by their original names, or paths `relation:field`; removed ones and those of any collection may be chosen. */
export interface SearchOptions {
  /** Search the collections behind to-one relations too. */
  readonly extended?: boolean;
  /** Only these fields: terms may name no other. */
  readonly onlyFields?: readonly string[];
  /** These fields in addition to those that are searched by default. */
  readonly includeFields?: readonly string[];
  /** Not these fields, not even where a term names them. */
  readonly excludeFields?: readonly string[];
}

/** The context that a search handler gets. */
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
export type GeneratedCondition = ConditionTree;

/** The condition that stands for a search; nothing for no restriction. */
export type SearchHandler = (
  search: string,
  isExtended: boolean,
  context: SearchContext,
) => ConditionTree | undefined | null | Promise<ConditionTree | undefined | null>;

/** The options of a search whose fields are known. */
interface SearchOptionsOn<
  S extends SchemaShape<S>,
  C extends CollectionName<S>,
  Only extends readonly string[],
  Include extends readonly string[],
  Exclude extends readonly string[],
> {
  readonly extended?: boolean;
  readonly onlyFields?: PathsOn<S, C, Only>;
  readonly includeFields?: PathsOn<S, C, Include>;
  readonly excludeFields?: PathsOn<S, C, Exclude>;
}

interface TypedSearch<S extends SchemaShape<S>, C extends CollectionName<S>> {
  /** The condition of the search that the collection has by default, on other fields if asked for. */
  generateSearchFilter<
    const Only extends readonly string[],
    const Include extends readonly string[],
    const Exclude extends readonly string[],
  >(search: string, options?: SearchOptionsOn<S, C, Only, Include, Exclude>): GeneratedCondition;
}

/** The context of a `replaceSearch` handler, typed as far as the schema is known. */
export type SearchContextOn<S extends SchemaShape<S>, C extends CollectionName<S>> = string extends keyof S
  ? SearchContext
  : ContextOn<S, C> & TypedSearch<S, C>;
