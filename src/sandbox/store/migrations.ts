/** Marks a SQLite file as a store of the platform ("VCpl"). */
export const storeApplicationId = 0x5643706c;

/**
 * The store, one script a version. A script that was released is never edited: a change is a new script at the end.
 * Times are milliseconds since the epoch, but the end of an approval, which is in seconds as it was signed. Secrets and tokens are there only as SHA-256.
 */
export const migrations: readonly string[] = [
  `
  create table projects (
    id integer primary key,
    name text not null unique,
    created_at integer not null
  ) strict;

  create table users (
    id integer primary key,
    first_name text not null,
    last_name text not null,
    email text not null unique,
    created_at integer not null
  ) strict;

  create table roles (
    id integer primary key,
    project_id integer not null references projects,
    name text not null,
    unique (project_id, name)
  ) strict;

  create table members (
    project_id integer not null references projects,
    user_id integer not null references users,
    role_id integer not null references roles,
    permission_level text not null check (permission_level in ('admin', 'developer', 'editor', 'user')),
    primary key (project_id, user_id)
  ) strict, without rowid;

  create table environments (
    id integer primary key,
    project_id integer not null references projects,
    name text not null,
    type text not null check (type in ('development', 'production')),
    secret_hash text not null unique,
    api_endpoint text,
    created_at integer not null
  ) strict;

  create table renderings (
    id integer primary key,
    environment_id integer not null references environments,
    team text not null,
    unique (environment_id, team)
  ) strict;

  create table tokens (
    id integer primary key,
    token_hash text not null unique,
    user_id integer not null references users,
    environment_id integer not null references environments,
    purpose text not null,
    created_at integer not null,
    expires_at integer not null,
    revoked_at integer
  ) strict;
  create index tokens_of_user on tokens (user_id, environment_id);

  create table schemas (
    environment_id integer primary key references environments,
    hash text not null,
    document text not null,
    received_at integer not null
  ) strict;

  create table permission_overrides (
    environment_id integer primary key references environments,
    overrides text not null
  ) strict;

  create table bundles (
    project_id integer not null references projects,
    digest text not null,
    size_bytes integer not null,
    content blob not null,
    created_at integer not null,
    primary key (project_id, digest)
  ) strict;

  create table versions (
    project_id integer not null references projects,
    number integer not null,
    digest text not null,
    message text not null,
    author_id integer not null references users,
    built_with text not null,
    git_commit text,
    idempotency_key text not null,
    request_hash text not null,
    created_at integer not null,
    primary key (project_id, number),
    unique (project_id, idempotency_key),
    foreign key (project_id, digest) references bundles
  ) strict, without rowid;
  `,
  `
  create table sign_ins (
    kind text not null,
    id text not null,
    uid text,
    grant_id text,
    payload text not null,
    expires_at integer,
    consumed_at integer,
    primary key (kind, id)
  ) strict, without rowid;
  create index sign_ins_by_uid on sign_ins (kind, uid);
  create index sign_ins_by_grant on sign_ins (grant_id);

  create table ip_rules (
    environment_id integer primary key references environments,
    rules text not null
  ) strict;
  `,
  `
  create table activities (
    position integer primary key,
    environment_id integer not null references environments,
    id text not null,
    occurred_at integer not null,
    received_at integer not null,
    type text not null check (type in ('read', 'write')),
    action text not null,
    label text,
    collection text not null,
    record_ids text not null,
    record_count integer,
    user_id integer not null,
    rendering_id integer not null,
    correlation_id text not null,
    status text not null check (status in ('pending', 'completed', 'failed')),
    unique (environment_id, id)
  ) strict;
  `,
  `
  create table customizations (
    environment_id integer primary key references environments,
    document text not null
  ) strict;
  `,
  `
  create table spent_approvals (
    environment_id integer not null references environments,
    digest text not null,
    run_id text not null,
    expires_at integer not null,
    primary key (environment_id, digest)
  ) strict, without rowid;
  create index spent_approvals_by_end on spent_approvals (expires_at);
  `,
];
