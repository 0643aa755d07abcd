export type { CompanySignOnOptions } from './company-sign-on/company-sign-on.ts';
export type { ObservedRequest } from './operation/observed-request.ts';
export type { Certificate, TeamOptions } from './operation/team-options.ts';
export {
  type DevelopmentAccess,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from './start-sandbox.ts';
export { type Moved, moveStore } from './transfer/move-store.ts';
export type { Progress } from './transfer/progress.ts';
export { restoreBackup } from './transfer/restore-backup.ts';
export { type Backup, writeBackup } from './transfer/write-backup.ts';
