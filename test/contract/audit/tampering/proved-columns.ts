/**
 * The columns that answers of the log are made from, by table. `npm test` fails for a column of the logs that is missing here, so
 * whoever adds one decides how it is proved.
 */
export const provedColumns: Readonly<Record<string, readonly string[]>> = {
  audit_chains: [
    ...['id', 'chain', 'kind', 'project_id', 'environment_id', 'genesis'],
    ...['first_sequence', 'head_sequence', 'head_hash', 'head_created_at', 'head_month'],
  ],
  audit_months: ['month'],
  audit_rows: [
    ...['chain_id', 'sequence', 'month', 'kind', 'id', 'part', 'created_at', 'type', 'action', 'initiator'],
    ...[
      'user_id',
      'user_email',
      'team',
      'collection',
      'status',
      'correlation_id',
      'client_id',
      'client_name',
      'tool',
      'code_version',
      'body',
      'disclosed',
      'version',
      'hash',
    ],
  ],
  audit_records: ['chain_id', 'record_id', 'sequence', 'collection'],
  audit_outcomes: ['chain_id', 'sequence', 'status', 'reported_in'],
  audit_values: ['chain_id', 'sequence', 'place', 'act_sequence', 'record_id', 'sealed'],
  audit_checkpoints: ['chain_id', 'size', 'at', 'note'],
  audit_segments: ['chain_id', 'month', 'note'],
  audit_nodes: ['chain_id', 'month', 'level', 'position', 'hash'],
  audit_cosignatures: ['chain_id', 'month', 'cosigner', 'note'],
  audit_register: ['sequence', 'body', 'hash'],
  audit_register_checkpoints: ['size', 'at', 'note'],
  audit_register_cosignatures: ['project_id', 'cosigner', 'note'],
  projects: ['id', 'name'],
  environments: ['id', 'project_id', 'name'],
};

/** The columns of the last two from which no answer of the log is made. */
export const otherColumns: Readonly<Record<string, readonly string[]>> = {
  projects: ['created_at'],
  environments: ['type', 'secret_hash', 'agent_addresses', 'api_endpoint', 'created_at'],
};
