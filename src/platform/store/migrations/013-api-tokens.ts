import { dialects, type Migration } from './migration.ts';

/** Tokens for programs, the quotas that they use up, and the answers that repeated requests get again. */
export const apiTokens: Migration = (engine) => {
  const { id, integer, keyedTable, table, text } = dialects[engine];
  return `
  create table api_tokens (
    id ${id},
    project_id ${integer} not null references projects,
    name ${text} not null,
    hint ${text} not null,
    scopes ${text} not null,
    allowed_cidrs ${text} not null,
    created_by ${integer} not null references users,
    created_at ${integer} not null,
    rotated_at ${integer},
    lifetime_ms ${integer},
    expires_at ${integer},
    revoked_at ${integer},
    last_used_at ${integer},
    last_used_address ${text},
    warned_at ${integer}
  )${table};
  create index api_tokens_of_project on api_tokens (project_id, id);

  create table api_token_secrets (
    secret_hash ${text} primary key,
    token_id ${integer} not null references api_tokens,
    ends_at ${integer}
  )${keyedTable};
  create index api_token_secrets_of_token on api_token_secrets (token_id);

  create table rate_limits (
    subject ${text} not null,
    policy ${text} not null,
    spent_until ${integer} not null,
    primary key (subject, policy)
  )${keyedTable};

  create table idempotency_keys (
    subject ${text} not null,
    route ${text} not null,
    idempotency_key ${text} not null,
    fingerprint ${text} not null,
    status ${integer} not null,
    headers ${text} not null,
    body ${text} not null,
    expires_at ${integer} not null,
    primary key (subject, route, idempotency_key)
  )${keyedTable};
  create index idempotency_keys_by_end on idempotency_keys (expires_at)`;
};
