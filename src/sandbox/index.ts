export type { RatePolicy } from '#kernel/rates/rate-policy';
export type { Retention } from './audit/retention.ts';
export { verifyStore } from './audit/verify-store.ts';
export type { CompanySignOnOptions } from './company-sign-on/company-sign-on.ts';
export {
  type Fault,
  type InjectedFault,
  type JournalEntry,
  type RequestFilter,
  TestTraffic,
} from './fixtures/test-traffic.ts';
export type { DevelopmentAccess } from './identity/provision-development.ts';
export type { ObservedRequest } from './operation/observed-request.ts';
export type { Certificate, TeamOptions } from './operation/team-options.ts';
export type { SandboxOptions } from './sandbox-options.ts';
export { type Sandbox, startSandbox } from './start-sandbox.ts';
export { type Moved, moveStore } from './transfer/move-store.ts';
export type { Progress } from './transfer/progress.ts';
export { restoreBackup } from './transfer/restore-backup.ts';
export { type Backup, writeBackup } from './transfer/write-backup.ts';
