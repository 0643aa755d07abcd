export type {
  ActionContext,
  ActionDefinition,
  ActionResult,
  ActionScope,
  FileContent,
  ResultBuilder,
  SingleActionContext,
} from '#runtime/customizer/action-definition';
export type { Agent } from '#runtime/customizer/agent';
export type {
  AgentChartContext,
  ChartLine,
  ChartPoint,
  ChartResult,
  ChartResultBuilder,
  CollectionChartContext,
  TimeRange,
} from '#runtime/customizer/chart-definition';
export type {
  CollectionCustomizer,
  SegmentContext,
  SegmentDefinition,
} from '#runtime/customizer/collection-customizer';
export type { FieldDefinition } from '#runtime/customizer/field-definition';
export type { ActionForm, FormElement } from '#runtime/customizer/form-element';
export type { FormField } from '#runtime/customizer/form-field';
export type { ActionFile, RecordKey } from '#runtime/customizer/form-value';
export type { AnySchema, CollectionName, FieldPath, RecordOf } from '#runtime/customizer/schema-types';
export type { SqlConnectionParams } from '#runtime/data-sources/sql/sql-connection-params';
export type { Caller } from '#runtime/plan/caller';
export type { ColumnType, PrimitiveType } from '#runtime/query/column-type';
export type { ConditionBranch, ConditionLeaf, ConditionTree } from '#runtime/query/condition-tree';
export type { Operator } from '#runtime/query/operators';
export type { RecordData } from '#runtime/query/record-query';
