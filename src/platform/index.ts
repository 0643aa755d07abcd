export type { RatePolicy } from '#kernel/rates/rate-policy';
// What the sandbox stands on: it makes people and projects by itself, and lets tests decide.
export type { Guards } from './access/guards.ts';
export { type ArchivedLog, archiveStore } from './archive/archive-store.ts';
export { createArchivedRows } from './archive/archived-rows.ts';
export { createArchivedTo } from './archive/archived-to.ts';
export { openArchive } from './archive/open-archive.ts';
export { logDocuments, searchArchive } from './archive/search-archive.ts';
export { type ArchiveVerdict, verifyArchive } from './archive/verify-archive.ts';
export { type AdminLog, authorOf, changeLog, thePlatform } from './audit/admin-log.ts';
export { type ArchivedRows, erasePersonFromStore, type PersonInStore } from './audit/erase-person.ts';
export { type LogText, type ReadText, readInThreads } from './audit/read-in-threads.ts';
export { restoreStore } from './audit/restore-store.ts';
export type { Retention } from './audit/retention.ts';
export { type StoreVerdict, verifyStore } from './audit/verify-store.ts';
export type { CompanySignOnOptions } from './company-sign-on/company-sign-on.ts';
export type { DevEvents } from './console/event-routes.ts';
export { logNewEnvironment, servedVersion } from './environments/environment-repository.ts';
export { announceEvent } from './events/announce-event.ts';
export { resetFactorsInStore } from './factors/reset-in-store.ts';
export {
  type EnvironmentRecord,
  environmentOf,
  environmentRows,
  type IdentityRepository,
  type MemberRecord,
  memberRows,
  type ReachAgent,
  type RenderingRecord,
  renderingRows,
  type UserRecord,
} from './identity/identity-repository.ts';
export { replaceMemberships } from './people/change-memberships.ts';
export { logPerson } from './people/log-person.ts';
export type { PlatformOptions, PlatformParts, TestSwitches } from './platform-options.ts';
export { environmentPermissionsOf } from './rights/derive-permissions.ts';
export { placeIn } from './rights/person-claims.ts';
export { parseInput } from './server/parse-input.ts';
export type { Certificate, ObservedRequest, TeamOptions } from './server/team-options.ts';
export { type Platform, startPlatform } from './start-platform.ts';
export type { Store, StoreTransaction } from './store/store.ts';
export { addTeams } from './teams/teams.ts';
export { type Moved, moveStore } from './transfer/move-store.ts';
export type { Progress } from './transfer/progress.ts';
export { type Backup, writeBackup } from './transfer/write-backup.ts';
