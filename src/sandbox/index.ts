export type { DescribePortOwner, PortChoice } from './server/listen.ts';
export {
  type DevelopmentAccess,
  type DevelopmentInput,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from './start-sandbox.ts';
export type { OpenDatabase } from './store/open-store.ts';
