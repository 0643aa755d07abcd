import { dialects, type Migration } from './migration.ts';

export const activities: Migration = (engine) => {
  const { id, integer, table, text } = dialects[engine];
  return `
  create table activities (
    position ${id},
    environment_id ${integer} not null references environments,
    id ${text} not null,
    occurred_at ${integer} not null,
    received_at ${integer} not null,
    type ${text} not null check (type in ('read', 'write')),
    action ${text} not null,
    label ${text},
    collection ${text} not null,
    record_ids ${text} not null,
    record_count ${integer},
    user_id ${integer} not null,
    rendering_id ${integer} not null,
    correlation_id ${text} not null,
    status ${text} not null check (status in ('pending', 'completed', 'failed')),
    unique (environment_id, id)
  )${table};
  `;
};
