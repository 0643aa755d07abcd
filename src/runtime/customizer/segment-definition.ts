import type { ConditionTree } from '../query/condition-tree.ts';
import type { CustomizationContext } from './customization-context.ts';

/** The context that the function of a segment gets. */
export type SegmentContext = CustomizationContext;

/** A saved filter: a condition, or a function that makes one for the caller. */
export type SegmentDefinition = ConditionTree | ((context: SegmentContext) => ConditionTree | Promise<ConditionTree>);
