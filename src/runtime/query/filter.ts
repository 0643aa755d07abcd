import type { ConditionTree } from './condition-tree.ts';
import { nestCondition } from './record-path.ts';

/** What a filter is made of; each part narrows it. */
export interface FilterOptions {
  readonly conditionTree?: ConditionTree | undefined;
  /** Text to look for in every searchable field. */
  readonly search?: string | undefined;
  /** Search the collections behind to-one relations too. */
  readonly searchExtended?: boolean | undefined;
  /** Name of a segment of the collection. */
  readonly segment?: string | undefined;
}

/** A selection of records: those that fulfil every part of it. It is never changed, only copied. */
export class Filter implements FilterOptions {
  readonly conditionTree: ConditionTree | undefined;
  readonly search: string | undefined;
  readonly searchExtended: boolean | undefined;
  readonly segment: string | undefined;

  constructor(options: FilterOptions = {}) {
    this.conditionTree = options.conditionTree;
    this.search = options.search;
    this.searchExtended = options.searchExtended;
    this.segment = options.segment;
  }

  /** Whether the filter can be asked from the other end of a relation: searches and segments belong to one collection. */
  get isNestable(): boolean {
    return !this.search && !this.segment;
  }

  /** A copy with some parts replaced. */
  override(options: FilterOptions): Filter {
    return new Filter({ ...this, ...options });
  }

  /** The filter seen from the other end of `relation`. Ask `isNestable` first. */
  nest(relation: string): Filter {
    const { conditionTree } = this;
    return this.override({ conditionTree: conditionTree && nestCondition(conditionTree, relation) });
  }
}
