/**
 * A platform and a client for the tests of an agent.
 *
 * @module @vendor/cloud/agent-testing
 */

import type { AnySchema, SchemaShape } from '#runtime/index';
import { startTestAgentOn, type TestAgent, type TestAgentOptions } from '#testing/index';
import { createAgent } from './agent.ts';

export {
  type ActionAnswer,
  type ActionClient,
  ActionFailedError,
  type ActionField,
  ActionFormValidationError,
  type ActionOverride,
  ActionRequiresApprovalError,
  type ActionSelection,
  type AgentCharts,
  AgentHttpError,
  type AgentTestClient,
  type AgentTestClientOptions,
  type AllRecords,
  type ApprovalOptions,
  type Attributes,
  type Benchmark,
  type BenchmarkResult,
  type ChartFigure,
  type ChartOptions,
  type ChartShare,
  type ChartStretch,
  type CheckboxField,
  type CheckboxGroupField,
  type ChoiceField,
  type CollectionCapabilities,
  type CollectionCharts,
  type CollectionClient,
  type CollectionClientOf,
  type CollectionOverride,
  type ColorPickerField,
  createAgentTestClient,
  createForestServerSandbox,
  type EnumField,
  type EnumListField,
  type ExecuteOptions,
  type ExportOptions,
  type Fault,
  type FieldOption,
  type FileField,
  type FileListField,
  type FilterOptions,
  type FixedDate,
  type ForestServerSandbox,
  type FormLayout,
  type InjectedFault,
  type JournalEntry,
  type LayoutElement,
  type LayoutPage,
  type ListField,
  type ListOptions,
  type LiveQuery,
  type MultipleTimeBasedChart,
  type ObjectiveChart,
  type PermissionOverrides,
  type PlainCondition,
  type PlainRecord,
  type RecordChartOptions,
  type RecordId,
  type RecordReader,
  type RelationClient,
  type RequestFilter,
  type TestAgent,
  type TestAgentOptions,
  type TestFixtures,
  type TestRecord,
  type TextSink,
  UnknownActionFieldError,
  UnknownNameError,
  type ValueChart,
} from '#testing/index';

/**
 * Start an agent for the tests of a customization, with a client and a platform of its own: one call, free ports on this machine,
 * no files left behind.
 *
 * @example
 * const { client, close } = await startTestAgent({ customize }); // on the databases of vendor-cloud.json
 * const [first] = await client.collection('orders').list({ sort: { field: 'id', ascending: true } });
 * await close();
 *
 * @throws what `createAgent`, its `start` and `createAgentTestClient` throw, with everything closed. `TEST_OPTION_INVALID` for
 * an unknown option. `PROJECT_…` if no data source is given and no project is found, or its files are wrong.
 */
export function startTestAgent<S extends SchemaShape<S> = AnySchema>(
  options: TestAgentOptions<S>,
): Promise<TestAgent<S>> {
  return startTestAgentOn(createAgent, options);
}
