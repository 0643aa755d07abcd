import { dialects, type Migration } from './migration.ts';

/** Mails about requests for approvals that wait to be sent. */
export const approvalMails: Migration = (engine) => {
  const { id, integer, table, text } = dialects[engine];
  return `
  create table approval_mails (
    id ${id},
    approval_id ${integer} not null references approvals,
    event ${text} not null,
    user_id ${integer} references users,
    author_id ${integer} not null references users,
    queued_at ${integer} not null,
    due_at ${integer} not null,
    attempts ${integer} not null,
    handed_at ${integer}
  )${table};
  create index approval_mails_due on approval_mails (due_at)`;
};
