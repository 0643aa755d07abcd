export type { CompanySignOnOptions } from './company-sign-on/company-sign-on.ts';
export {
  type DevelopmentAccess,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from './start-sandbox.ts';
