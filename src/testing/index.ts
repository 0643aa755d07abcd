export type { ActionOverride, CollectionOverride, PermissionOverrides, TestFixtures } from '#contracts/test-platform';
export type { Fault, InjectedFault, JournalEntry, RequestFilter } from '#sandbox/index';
export type { ActionClient, ApprovalOptions, ExecuteOptions } from './actions/action-client.ts';
export type { ActionAnswer } from './actions/action-result.ts';
export type {
  ActionField,
  CheckboxField,
  CheckboxGroupField,
  ChoiceField,
  ColorPickerField,
  EnumField,
  EnumListField,
  FieldOption,
  FileField,
  FileListField,
  ListField,
} from './actions/form-field.ts';
export type { FormLayout, LayoutElement, LayoutPage } from './actions/form-layout.ts';
export type { ActionSelection } from './actions/open-action.ts';
export type {
  AgentCharts,
  ChartFigure,
  ChartOptions,
  ChartShare,
  ChartStretch,
  CollectionCharts,
  MultipleTimeBasedChart,
  ObjectiveChart,
  RecordChartOptions,
  ValueChart,
} from './charts/chart-client.ts';
export type { AgentTestClient } from './client/agent-test-client.ts';
export type { Benchmark, BenchmarkResult } from './client/benchmark.ts';
export type { Attributes, CollectionClient, CollectionClientOf } from './client/collection-client.ts';
export { type AgentTestClientOptions, createAgentTestClient } from './client/create-agent-test-client.ts';
export {
  ActionFailedError,
  ActionFormValidationError,
  ActionRequiresApprovalError,
  AgentHttpError,
  UnknownActionFieldError,
  UnknownNameError,
} from './errors/agent-test-errors.ts';
export type { FixedDate } from './harness/fixed-date.ts';
export { startTestAgentOn, type TestAgent, type TestAgentOptions } from './harness/start-test-agent.ts';
export type { CollectionCapabilities } from './records/capabilities.ts';
export type { AllRecords, FilterOptions, ListOptions, LiveQuery, PlainCondition } from './records/list-query.ts';
export type { PlainRecord, TestRecord } from './records/record-document.ts';
export type { ExportOptions, RecordReader, TextSink } from './records/record-reader.ts';
export type { RelationClient } from './records/relation-client.ts';
export { createForestServerSandbox, type ForestServerSandbox } from './sandbox/create-forest-server-sandbox.ts';
export type { RecordId } from './wire/record-id.ts';
