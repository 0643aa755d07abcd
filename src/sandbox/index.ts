export {
  type Fault,
  type InjectedFault,
  type JournalEntry,
  type RequestFilter,
  TestTraffic,
} from './fixtures/test-traffic.ts';
export type { DevelopmentAccess } from './provisioning/provision-development.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './start-sandbox.ts';
