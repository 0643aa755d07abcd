import { dialects, type Migration } from './migration.ts';

/** Who may grant a request, as its agent has found with the records. Of the requests that are there already nobody knows. */
export const approvers: Migration = (engine) => `alter table approvals add column approvers ${dialects[engine].text}`;
