export {
  type AgentTestClient,
  type AgentTestClientOptions,
  type CollectionClient,
  createAgentTestClient,
  createForestServerSandbox,
  type FilterOptions,
  type ForestServerSandbox,
  type ListOptions,
  type PlainCondition,
  type RecordId,
  type TestRecord,
} from '#testing/index';
