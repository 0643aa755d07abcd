import { dialects, type Migration } from './migration.ts';

/** What an approved action has answered, sealed as what was asked for is. Of the runs that are over already nobody knows. */
export const approvalResults: Migration = (engine) =>
  `alter table approvals add column result ${dialects[engine].text}`;
