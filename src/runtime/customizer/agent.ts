import type { ColumnType } from '../query/column-type.ts';
import type { Operator } from '../query/operators.ts';
import type { ActionDefinitionOn } from './action-definition-on.ts';
import type { AgentChart, CollectionChartOn } from './chart-definition.ts';
import type { ConditionOn } from './condition-on.ts';
import type { CustomizationContext } from './customization-context.ts';
import type { BinaryMode } from './declaration.ts';
import type { ExternalRelationDefinition } from './external-relation-definition.ts';
import type { ExpressionFieldDefinition, FieldDefinition } from './field-definition.ts';
import type { HookHandler, HookPosition, HookType } from './hook-definition.ts';
import type { SearchContext } from './query-definition.ts';
import type { AnySchema, CollectionName, FieldName, FieldPath, SchemaShape } from './schema-types.ts';
import type { SegmentContext } from './segment-definition.ts';
import type { OverrideHandlers, WriteHandler } from './write-definition.ts';

type MaybePromise<Value> = Value | Promise<Value>;
/** A field of the generated schema, or one that a customization adds. */
type AnyField<S extends SchemaShape<S>, C extends CollectionName<S>> = FieldName<S, C> | (string & {});

/**
 * What a project's default export is called with. Give it the generated `Schema`, and misspelt collections and fields
 * are compile errors. Declarations may come in any order.
 *
 * @example
 * import type { Agent } from '@vendor/cloud';
 * import type { Schema } from '../typings.js';
 *
 * export default function customize(agent: Agent<Schema>): void {
 *   agent.customizeCollection('orders', (orders) => orders.addSegment('open', { field: 'status', operator: 'Equal', value: 'open' }));
 * }
 */
export interface Agent<S extends SchemaShape<S> = AnySchema> {
  /** Customize one collection. What an async callback rejects with fails the start of the agent. */
  customizeCollection<C extends CollectionName<S>>(
    name: C,
    customize: (collection: CollectionCustomizer<S, C>) => unknown,
  ): this;
  /**
   * Add a chart about everything the agent serves.
   *
   * @example
   * agent.addChart('Orders', async (context, result) => {
   *   const [row] = await context.dataSource.getCollection('orders').aggregate({}, { operation: 'Count' });
   *   return result.value(Number(row?.value));
   * });
   */
  addChart(name: string, definition: AgentChart): this;
  /** Leave collections out of the exported schema, and out of what the agent serves; customization code still has them. */
  removeCollection(...names: readonly CollectionName<S>[]): this;
  /** Let a plugin customize the agent. It is called once, with no collection. */
  use<Options>(plugin: Plugin<Options>, options?: Options): this;
}

/**
 * Declares what is added to one collection. Declarations may come in any order, and name fields as the database does,
 * whatever they are renamed to; they are checked together when the agent starts.
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
  /**
   * Add a field that the database works out of others. It is read-only, and filtered, sorted, grouped and searched like a
   * column, also through relations. Where the database cannot, it is worked out like a field of JavaScript.
   *
   * @example orders.addField('total', { columnType: 'Number', expression: multiply(field('price'), field('quantity')) });
   */
  addField(name: string, definition: ExpressionFieldDefinition): this;
  /**
   * Show a field of a related record as one of this collection. It is filtered, sorted and grouped as the original;
   * writing it writes the related record, and makes one where there is none.
   *
   * @param definition.readonly default: as the original.
   * @example orders.importField('customerName', { path: 'customer:name' });
   */
  importField(name: string, definition: { readonly path: FieldPath<S, C>; readonly readonly?: boolean }): this;
  /** Export a field under another name. Customization code goes on using the old one. */
  renameField(currentName: AnyField<S, C>, newName: string): this;
  /** Leave fields out of the exported schema, and out of what the agent serves; customization code still has them. */
  removeField(...names: readonly AnyField<S, C>[]): this;
  /** Refuse values: `Present`, `LongerThan`, `ShorterThan`, `Contains`, `Like`, `Match`, `GreaterThan`, `LessThan`, `Before`, `After`. */
  addFieldValidation(name: FieldName<S, C>, operator: Operator, value?: unknown): this;
  /** Let the field be left empty; the database may still refuse. */
  setFieldNullable(name: FieldName<S, C>): this;
  /**
   * Write something else when the field is written.
   *
   * @example customers.replaceFieldWriting('fullName', (value) => ({ name: String(value).trim() }));
   */
  replaceFieldWriting(name: AnyField<S, C>, handler: WriteHandler): this;
  /** How bytes travel: `datauri` for files, `hex` for short ones such as UUIDs. Default `datauri`, `hex` for keys. */
  replaceFieldBinaryMode(name: FieldName<S, C>, mode: BinaryMode): this;

  /** @example orders.addManyToOneRelation('buyer', 'people', { foreignKey: 'buyer_id' }); */
  addManyToOneRelation(
    name: string,
    foreignCollection: CollectionName<S>,
    options: { readonly foreignKey: string; readonly foreignKeyTarget?: string },
  ): this;
  /** @example people.addOneToManyRelation('purchases', 'orders', { originKey: 'buyer_id' }); */
  addOneToManyRelation(
    name: string,
    foreignCollection: CollectionName<S>,
    options: { readonly originKey: string; readonly originKeyTarget?: string },
  ): this;
  addOneToOneRelation(
    name: string,
    foreignCollection: CollectionName<S>,
    options: { readonly originKey: string; readonly originKeyTarget?: string },
  ): this;
  addManyToManyRelation(
    name: string,
    foreignCollection: CollectionName<S>,
    throughCollection: CollectionName<S>,
    options: {
      readonly originKey: string;
      readonly foreignKey: string;
      readonly originKeyTarget?: string;
      readonly foreignKeyTarget?: string;
    },
  ): this;
  /** Show related data that no collection holds inside a record. */
  addExternalRelation(name: string, definition: ExternalRelationDefinition): this;

  /** Add a saved filter. */
  addSegment(
    name: string,
    definition:
      | ConditionOn<FieldPath<S, C>>
      | ((context: SegmentContext) => MaybePromise<ConditionOn<FieldPath<S, C>>>),
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
  /** Run code before or after what a person or a program asks for. */
  addHook<P extends HookPosition, T extends HookType>(position: P, type: T, handler: HookHandler<P, T>): this;

  /** Say what a search means; nothing is no restriction. */
  replaceSearch(
    handler: (
      search: string,
      isExtended: boolean,
      context: SearchContext,
    ) => MaybePromise<ConditionOn<FieldPath<S, C>> | undefined | null>,
  ): this;
  disableSearch(): this;

  /** Sort by the field in the agent: every record that is listed is read first. */
  emulateFieldSorting(name: AnyField<S, C>): this;
  /** Sort by something else when the field is sorted by; the other way round when descending. */
  replaceFieldSorting(
    name: AnyField<S, C>,
    sort: readonly { readonly field: FieldPath<S, C>; readonly ascending: boolean }[],
  ): this;
  disableFieldSorting(name: AnyField<S, C>): this;
  /** Filter by the field in the agent, with every operator of its type: records that the other conditions leave are read first. */
  emulateFieldFiltering(name: AnyField<S, C>): this;
  emulateFieldOperator(name: AnyField<S, C>, operator: Operator): this;
  /** Say what an operator means on the field, by conditions on others. */
  replaceFieldOperator(
    name: AnyField<S, C>,
    operator: Operator,
    handler: (value: unknown, context: CustomizationContext) => MaybePromise<ConditionOn<FieldPath<S, C>>>,
  ): this;

  /** Create records elsewhere than in the database. */
  overrideCreate(handler: OverrideHandlers['create']): this;
  overrideUpdate(handler: OverrideHandlers['update']): this;
  overrideDelete(handler: OverrideHandlers['delete']): this;
  /** Do not count the records of a list. */
  disableCount(): this;
  /** Let a plugin customize the collection. */
  use<Options>(plugin: Plugin<Options>, options?: Options): this;
}

/**
 * Customizations to use again and again. `agent.use` calls it with the agent alone, `collection.use` with its collection
 * too. What it returns is awaited.
 *
 * @example
 * const withoutSecrets: Plugin<{ fields: string[] }> = (_agent, collection, options) => {
 *   collection?.removeField(...(options?.fields ?? []));
 * };
 */
export type Plugin<Options = unknown> = (
  agent: Agent,
  collection: CollectionCustomizer | undefined,
  options: Options | undefined,
) => unknown;
