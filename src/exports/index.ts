/**
 * What the code of a project is written with.
 *
 * @module @vendor/cloud
 */

export type { SqlConnectionParams } from '#node/database/sql-connection-params';
export type { MongoConnectionParams } from '#node/mongo/mongo-connection-params';
export type {
  ActionContext,
  ActionDefinition,
  ActionResult,
  ActionScope,
  FileContent,
  ResultBuilder,
  SingleActionContext,
} from '#runtime/customizer/action-definition';
export type { Agent, CollectionCustomizer, Plugin, PluginAgent } from '#runtime/customizer/agent';
export type { Caller } from '#runtime/customizer/caller';
export type {
  AgentChartContext,
  ChartLine,
  ChartPoint,
  ChartResult,
  ChartResultBuilder,
  CollectionChartContext,
  TimeRange,
} from '#runtime/customizer/chart-definition';
export type { CollectionOutline, ColumnOutline, RelationOutline } from '#runtime/customizer/collection-outline';
export type { ContextOn } from '#runtime/customizer/context-on';
export type {
  ContextAggregation,
  ContextCollection,
  ContextDataSource,
  ContextFilter,
  CustomizationContext,
} from '#runtime/customizer/customization-context';
export type { SegmentContext, SegmentDefinition } from '#runtime/customizer/declaration';
export type { ExpressionFieldDefinition, FieldDefinition } from '#runtime/customizer/field-definition';
export type { ActionForm, FormElement, FormField } from '#runtime/customizer/form-element';
export type { ActionFile, RecordKey } from '#runtime/customizer/form-value';
export type {
  HookContext,
  HookContexts,
  HookHandler,
  HookPosition,
  HookType,
} from '#runtime/customizer/hook-definition';
export type {
  GeneratedCondition,
  OperatorHandler,
  SearchContext,
  SearchHandler,
  SearchOptions,
} from '#runtime/customizer/query-definition';
export type { PartialRecord, PatchOf, RecordOf, WholeRecord } from '#runtime/customizer/record-types';
export type { ExternalRelationDefinition } from '#runtime/customizer/relation-definition';
export type { AnySchema, CollectionName } from '#runtime/customizer/schema-types';
export type {
  OverrideCreateContext,
  OverrideDeleteContext,
  OverrideHandlers,
  OverrideUpdateContext,
  UnendedWrite,
  WriteContext,
  WriteHandler,
  WriteOutcome,
  WritePatch,
} from '#runtime/customizer/write-definition';
export {
  add,
  caseWhen,
  coalesce,
  concat,
  datePart,
  divide,
  field,
  jsonPath,
  multiply,
  type Operand,
  subtract,
  when,
} from '#runtime/query/build-expression';
export type { ColumnType, PrimitiveType } from '#runtime/query/column-type';
export type { ConditionBranch, ConditionLeaf, ConditionTree } from '#runtime/query/condition-tree';
export type { DatePart, Expression, ExpressionBranch } from '#runtime/query/expression';
export type { Operator } from '#runtime/query/operators';
export type { RecordData } from '#runtime/query/record-query';
export {
  ForbiddenError,
  NotFoundError,
  type RefusalData,
  UnprocessableError,
  ValidationError,
} from '#runtime/user-code/refusals';
