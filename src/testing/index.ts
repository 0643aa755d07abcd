export type { CollectionClient, RecordId } from './collection-client.ts';
export {
  type AgentTestClient,
  type AgentTestClientOptions,
  createAgentTestClient,
} from './create-agent-test-client.ts';
export { createForestServerSandbox, type ForestServerSandbox } from './create-forest-server-sandbox.ts';
export type { FilterOptions, ListOptions, PlainCondition } from './list-query.ts';
export type { TestRecord } from './record-document.ts';
