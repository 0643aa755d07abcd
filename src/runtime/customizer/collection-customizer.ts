import type { Caller } from '../plan/caller.ts';
import type { ColumnType } from '../query/column-type.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { Operator } from '../query/operators.ts';
import type { ActionDefinitionOn } from './action-definition-on.ts';
import type { CollectionChartOn } from './chart-definition.ts';
import type { FieldDefinition } from './field-definition.ts';
import type { AnySchema, CollectionName, FieldPath, SchemaShape } from './schema-types.ts';

export interface SegmentContext {
  readonly caller: Caller;
}

/** A saved filter: a condition, or a function that makes one for the caller. */
export type SegmentDefinition = ConditionTree | ((context: SegmentContext) => ConditionTree | Promise<ConditionTree>);

/** A condition on the fields and paths `P`. */
export type ConditionOn<P extends string> =
  | { readonly field: P; readonly operator: Operator; readonly value?: unknown }
  | { readonly aggregator: 'And' | 'Or'; readonly conditions: readonly ConditionOn<P>[] };

/**
 * Declares what is added to one collection. Declarations may come in any order; they are checked together when the
 * agent starts.
 */
export interface CollectionCustomizer<
  S extends SchemaShape<S> = AnySchema,
  C extends CollectionName<S> = CollectionName<S>,
> {
  /**
   * Add a field computed in JavaScript. It is read-only.
   *
   * @example
   * orders.addField('label', {
   *   columnType: 'String',
   *   dependencies: ['reference', 'customer:name'],
   *   getValues: (records) => records.map((order) => `${order.reference} (${order.customer?.name})`),
   * });
   */
  addField<const P extends FieldPath<S, C>, const T extends ColumnType>(
    name: string,
    definition: FieldDefinition<S, C, P, T>,
  ): this;
  /** Add a saved filter. */
  addSegment(
    name: string,
    definition:
      | ConditionOn<FieldPath<S, C>>
      | ((context: SegmentContext) => ConditionOn<FieldPath<S, C>> | Promise<ConditionOn<FieldPath<S, C>>>),
  ): this;
  /** Add something a person can do with one record, with several, or with the collection. */
  addAction(name: string, definition: ActionDefinitionOn<S, C>): this;
  /**
   * Add a chart about one record.
   *
   * @example
   * orders.addChart('Lines', async (context, result) => result.value((await context.getRecord(['line_count'])).line_count));
   */
  addChart(name: string, definition: CollectionChartOn<S, C>): this;
}
