import type { Tone } from '#contracts/visible-schema';
import type { AiProvider } from '../ai/ai-provider.ts';
import type { AiOptions } from '../ai/ai-settings.ts';
import type { DeclaredType, PrimitiveType } from '../query/column-type.ts';
import type { ActionDefinitionOn } from './action-definition.ts';
import type { AgentChartOn, CollectionChartOn } from './chart-definition.ts';
import type { CollectionOutline } from './collection-outline.ts';
import type { ConditionAnswer, ConditionOn } from './condition-on.ts';
import type { ContextOn, SortOn } from './context-on.ts';
import type { BinaryMode } from './declaration.ts';
import type { ExpressionFieldDefinition, FieldDefinition, Mask } from './field-definition.ts';
import type { ArgumentOf, KeyTo, OperatorOn } from './field-kind.ts';
import type { HookHandlerOn, HookPosition, HookType } from './hook-definition.ts';
import type { OptionsOn } from './plugin-options.ts';
import type { SearchContextOn } from './query-definition.ts';
import type { ExternalRelationOn } from './relation-definition.ts';
import type { PathOn } from './schema-path.ts';
import type {
  AnyField,
  AnySchema,
  CollectionName,
  FieldName,
  FieldValue,
  MemberName,
  SchemaShape,
} from './schema-types.ts';
import type { OverrideHandlersOn, WriteHandlerOn } from './write-definition.ts';

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that restricts nothing may have no return at all.
type Nothing = undefined | null | void;

/**
 * The argument of a project's default export. Give it the generated `Schema`, and misspelt collections and fields are
 * compile errors. Declarations may come in any order.
 *
 * It is an interface: a project gets an agent and never makes one, so its import loads no code of the agent.
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
  addChart(name: string, definition: AgentChartOn<S>): this;
  /**
   * Add a mask, for rights that show the values of a field to some roles in part: `"read": "initials"` in `permissions.json`.
   *
   * @example agent.addMask('initials', (value) => String(value).split(' ').map(([first]) => `${first}.`).join(' '));
   */
  addMask(name: string, mask: Mask): this;
  /**
   * Route the AI features through the agent: a model of the provider, and the tools of MCP servers. May be called once. Throws
   * `AGENT_OPTION_INVALID`.
   *
   * @example
   * agent.addAi(createAiProvider({ name: 'main', provider: 'openai', model: 'gpt-5', apiKey }));
   */
  addAi(provider: AiProvider, options?: AiOptions): this;
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
   * Add a field: computed in JavaScript (`getValues`), or one that the database works out of others (`expression`). It is
   * read-only. One of an expression is filtered, sorted, grouped and searched like a column, also through relations; where
   * the database cannot, it is worked out like a field of JavaScript.
   *
   * @example
   * orders.addField('label', {
   *   columnType: 'String',
   *   dependencies: ['reference', 'customer:name'],
   *   getValues: (records) => records.map((order) => `${order.reference} (${order.customer?.name})`),
   * });
   * @example orders.addField('total', { columnType: 'Number', expression: multiply(field('price'), field('quantity')) });
   */
  addField<const P extends readonly string[], const T extends DeclaredType, const E extends string>(
    name: string,
    // There is only one signature, because for several the compiler says no more than that none fits.
    definition: FieldDefinition<S, C, P, T> | ExpressionFieldDefinition<PathOn<S, C, E>>,
  ): this;
  /**
   * Show a field of a related record as one of this collection. It is filtered, sorted and grouped as the original;
   * writing it writes the related record, and makes one if there is none.
   *
   * @param definition.readonly default: as the original.
   * @example orders.importField('customerName', { path: 'customer:name' });
   */
  importField<const P extends string>(
    name: string,
    definition: { readonly path: PathOn<S, C, P>; readonly readonly?: boolean },
  ): this;
  /** Export a field under another name. Customization code goes on using the old one. */
  renameField(currentName: MemberName<S, C>, newName: string): this;
  /** Leave fields out of the exported schema, and out of what the agent serves; customization code still has them. */
  removeField(...names: readonly MemberName<S, C>[]): this;
  /** Refuse values: `Present`, `LongerThan`, `ShorterThan`, `Contains`, `Like`, `Match`, `GreaterThan`, `LessThan`, `Before`, `After`. */
  addFieldValidation<const F extends FieldName<S, C>, const O extends string>(
    name: F,
    operator: OperatorOn<F, FieldValue<S, C, F>, O>,
    value?: ArgumentOf<FieldValue<S, C, F>, O>,
  ): this;
  /** Let the field be left empty; the database may still refuse. */
  setFieldNullable(name: FieldName<S, C>): this;
  /**
   * Write something else when the field is written.
   *
   * @example customers.replaceFieldWriting('fullName', (value) => ({ name: String(value).trim() }));
   */
  replaceFieldWriting<const F extends AnyField<S, C>>(name: F, handler: WriteHandlerOn<S, C, F>): this;
  /** How bytes travel: `datauri` for files, `hex` for short ones such as UUIDs. Default `datauri`, `hex` for keys. */
  replaceFieldBinaryMode(name: FieldName<S, C>, mode: BinaryMode): this;
  /**
   * Say what values mean to people: the console shows each beside a dot of that colour. Values that are not named have none.
   *
   * @example orders.setFieldTones('status', { paid: 'success', open: 'warning', cancelled: 'danger' });
   */
  setFieldTones<const F extends AnyField<S, C>>(
    name: F,
    tones: { readonly [Value in ToneValue<FieldValue<S, C, F>>]?: Tone },
  ): this;
  /**
   * Show a field to everybody who may read the collection, although what it is made of is closed to some roles. Without this, a
   * computed, imported or flattened field follows the strictest right of its sources.
   *
   * @param reason Why that tells nobody too much.
   * @example staff.showFieldBecause('payBand', 'A band of pay does not tell the salary.');
   */
  showFieldBecause(name: AnyField<S, C>, reason: string): this;
  /**
   * Say that people outside can write what is in these fields: messages, reviews, names in a public form. An MCP client that was given such
   * text does nothing more without the yes of its person. Computed, imported and flattened texts that are made of it count too.
   *
   * @example tickets.markFieldUntrusted('subject', 'body');
   */
  markFieldUntrusted(...names: readonly AnyField<S, C>[]): this;
  /**
   * Say that nobody outside can write what is in a field, although it looks so by its name, or is made of such text.
   *
   * @param reason Why it can be trusted.
   * @example reviews.trustFieldBecause('reply', 'Only our staff writes it.');
   */
  trustFieldBecause(name: AnyField<S, C>, reason: string): this;

  /** @example orders.addManyToOneRelation('buyer', 'people', { foreignKey: 'buyer_id' }); */
  addManyToOneRelation<F extends CollectionName<S>, const K extends FieldName<S, C>>(
    name: string,
    foreignCollection: F,
    options: {
      readonly foreignKey: K;
      readonly foreignKeyTarget?: KeyTo<S[F]['fields'], FieldValue<S, C, K>>;
    },
  ): this;
  /** @example people.addOneToManyRelation('purchases', 'orders', { originKey: 'buyer_id' }); */
  addOneToManyRelation<F extends CollectionName<S>, const K extends FieldName<S, F>>(
    name: string,
    foreignCollection: F,
    options: { readonly originKey: K; readonly originKeyTarget?: KeyTo<S[C]['fields'], FieldValue<S, F, K>> },
  ): this;
  addOneToOneRelation<F extends CollectionName<S>, const K extends FieldName<S, F>>(
    name: string,
    foreignCollection: F,
    options: { readonly originKey: K; readonly originKeyTarget?: KeyTo<S[C]['fields'], FieldValue<S, F, K>> },
  ): this;
  addManyToManyRelation<
    F extends CollectionName<S>,
    T extends CollectionName<S>,
    const O extends FieldName<S, T>,
    const K extends FieldName<S, T>,
  >(
    name: string,
    foreignCollection: F,
    throughCollection: T,
    options: {
      readonly originKey: O;
      readonly foreignKey: K;
      readonly originKeyTarget?: KeyTo<S[C]['fields'], FieldValue<S, T, O>>;
      readonly foreignKeyTarget?: KeyTo<S[F]['fields'], FieldValue<S, T, K>>;
    },
  ): this;
  /** Show related data that no collection holds inside a record. */
  addExternalRelation<const P extends readonly string[], const T extends Readonly<Record<string, PrimitiveType>>>(
    name: string,
    definition: ExternalRelationOn<S, C, P, T>,
  ): this;

  /** Add a saved filter. */
  addSegment<const Q, const A>(
    name: string,
    definition: ConditionOn<S, C, Q> | ((context: ContextOn<S, C>) => ConditionAnswer<S, C, A>),
  ): this;
  /** Add something a person can do with one record, with several, or with the collection. */
  addAction<const F>(name: string, definition: ActionDefinitionOn<S, C, F>): this;
  /**
   * Add a chart about one record.
   *
   * @example
   * orders.addChart('Lines', async (context, result) => result.value((await context.getRecord(['line_count'])).line_count));
   */
  addChart(name: string, definition: CollectionChartOn<S, C>): this;
  /** Run code before or after what a person or a program asks for. */
  addHook<P extends HookPosition, T extends HookType>(position: P, type: T, handler: HookHandlerOn<S, C, P, T>): this;

  /** Say what a search means; nothing means no restriction. */
  replaceSearch<const A>(
    handler: (search: string, isExtended: boolean, context: SearchContextOn<S, C>) => ConditionAnswer<S, C, A, Nothing>,
  ): this;
  disableSearch(): this;

  /** Sort by the field in the agent: every record that is listed is read first. */
  emulateFieldSorting(name: AnyField<S, C>): this;
  /** Sort by something else when the field is sorted by; the other way round when descending. */
  replaceFieldSorting<const P extends readonly string[]>(name: AnyField<S, C>, sort: SortOn<S, C, P>): this;
  disableFieldSorting(name: AnyField<S, C>): this;
  /** Filter by the field in the agent, with every operator of its type: records that the other conditions leave are read first. */
  emulateFieldFiltering(name: AnyField<S, C>): this;
  emulateFieldOperator<const F extends AnyField<S, C>, const O extends string>(
    name: F,
    operator: OperatorOn<F, FieldValue<S, C, F>, O>,
  ): this;
  /** Say what an operator means on the field, by conditions on others. */
  replaceFieldOperator<const F extends AnyField<S, C>, const O extends string, const A>(
    name: F,
    operator: OperatorOn<F, FieldValue<S, C, F>, O>,
    handler: (value: ArgumentOf<FieldValue<S, C, F>, O>, context: ContextOn<S, C>) => ConditionAnswer<S, C, A>,
  ): this;

  /** Create records elsewhere than in the database. */
  overrideCreate(handler: OverrideHandlersOn<S, C>['create']): this;
  overrideUpdate(handler: OverrideHandlersOn<S, C>['update']): this;
  overrideDelete(handler: OverrideHandlersOn<S, C>['delete']): this;
  /** Do not count the records of a list. */
  disableCount(): this;
  /** Keep the values of writes, before and after, so that the history of a record shows them. The platform has them sealed. */
  keepHistory(): this;
  /**
   * The field that names a record for people, in pickers and headings. Default: a text called `name`, `title`, `reference` or the
   * like, else the key.
   */
  setTitle(name: AnyField<S, C>): this;
  /** Let a plugin customize the collection. */
  use<Options, const Given extends Options = Options>(
    plugin: Plugin<Options>,
    options?: OptionsOn<S, C, Options, Given>,
  ): this;
}

/** The values of a field that tones are for, as texts. */
type ToneValue<Value> = Value extends string ? Value : Value extends boolean ? `${Value}` : never;

/** The agent as plugins see it. */
export interface PluginAgent extends Agent {
  /** Everything that the data sources of the agent have, in their order. */
  readonly collections: readonly CollectionOutline[];
}

/**
 * Customizations to use again and again. `agent.use` calls it with the agent only, `collection.use` with its collection
 * too. What it returns is awaited.
 *
 * @example
 * const withoutSecrets: Plugin<{ fields: string[] }> = (_agent, collection, options) => {
 *   collection?.removeField(...(options?.fields ?? []));
 * };
 * @example
 * const withoutBytes: Plugin = (agent) => {
 *   for (const { name, columns } of agent.collections) {
 *     const bytes = columns.filter(({ type }) => type === 'Binary').map((column) => column.name);
 *     agent.customizeCollection(name, (collection) => collection.removeField(...bytes));
 *   }
 * };
 */
export type Plugin<Options = unknown> = (
  agent: PluginAgent,
  collection: CollectionCustomizer | undefined,
  options: Options | undefined,
) => unknown;
