export {
  type DevelopmentAccess,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from './start-sandbox.ts';
