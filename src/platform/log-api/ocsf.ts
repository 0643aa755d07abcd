import type { ActivityEntry, AdminEntry, RowPlace } from '#contracts/audit/rows';
import type { ChainRecord } from '../audit/audit-chains.ts';
import type { LogRow } from '../audit/read-log.ts';

/** Datastore Activity of OCSF, for what people do to records. */
const datastoreActivities: Partial<Record<ActivityEntry['action'], number>> = {
  read: 1,
  update: 2,
  create: 6,
  delete: 7,
  index: 8,
  search: 4,
  filter: 4,
  listRelatedData: 4,
  export: 99,
};
const apiActivities = { create: 1, read: 2, update: 3, delete: 4, other: 99 } as const;
/** User Management, Group Management and Entity Management, for changes of the configuration. */
const adminClasses: Partial<Record<AdminEntry['resource'], number>> = { 'user-project': 3001, team: 3006 };
const adminActivities = { add: 1, initial: 1, update: 3, remove: 4 } as const;

/** A row as an event of the Open Cybersecurity Schema Framework 1.5. */
export function ocsfEvent({ entry, status, hash }: LogRow, chain: ChainRecord) {
  const { project } = JSON.parse(chain.genesis) as { readonly project: string };
  const kind = entry.object === 'activityLog' ? activityKind(entry) : adminKind(entry);
  return {
    ...kind,
    type_uid: kind.class_uid * 100 + kind.activity_id,
    severity_id: 1,
    time: Date.parse(entry.createdAt),
    ...statusOf(status),
    actor: actorOf(entry),
    src_endpoint: sourceOf(entry),
    metadata: metadataOf(entry, project),
    attestation_list: [{ chain_uid: chain.chain, fingerprint: { algorithm_id: 3, value: hash } }],
  };
}

/** The schema asks for an endpoint. An agent tells no address. */
function sourceOf(entry: ActivityEntry | AdminEntry) {
  const address = entry.object === 'adminLog' ? entry.address : undefined;
  return address === undefined ? { name: 'unknown' } : { ip: address };
}

/** Which kind of event a row is. */
export function ocsfClassOf(entry: ActivityEntry | AdminEntry) {
  if (entry.object === 'adminLog') {
    const activity_id = adminActivities[entry.type];
    return { category_uid: 3, class_uid: adminClasses[entry.resource] ?? 3004, activity_id };
  }
  const activity = datastoreActivities[entry.action];
  if (activity !== undefined) return { category_uid: 6, class_uid: 6005, activity_id: activity };
  const wanted = /^(create|read|update|delete)/.exec(entry.action)?.[1] ?? 'other';
  return { category_uid: 6, class_uid: 6003, activity_id: apiActivities[wanted as keyof typeof apiActivities] };
}

function activityKind(entry: ActivityEntry & RowPlace) {
  const kind = ocsfClassOf(entry);
  return {
    ...kind,
    ...(kind.class_uid === 6003
      ? { api: { operation: entry.action } }
      : { table: { name: entry.collection?.name ?? '' } }),
    resources: resourcesOf(entry),
  };
}

function resourcesOf({ recordIds, collection }: ActivityEntry) {
  return recordIds.map((uid) => ({ uid, type: collection?.name ?? '' }));
}

function adminKind(entry: AdminEntry) {
  const { resource, previousValue, newValue } = entry;
  return {
    ...ocsfClassOf(entry),
    entity: { type: resource, ...(previousValue ? { data: previousValue } : {}) },
    updated_entity: { type: resource, ...(newValue ? { data: newValue } : {}) },
  };
}

function statusOf(status: ActivityEntry['status'] | null) {
  if (status === 'failed') return { status_id: 2, status: 'Failure' };
  return status === 'pending' ? { status_id: 99, status: 'pending' } : { status_id: 1, status: 'Success' };
}

function actorOf(entry: ActivityEntry | AdminEntry) {
  const user = entry.user && { uid: String(entry.user.id), name: entry.user.username, email_addr: entry.user.email };
  return { ...(user ? { user } : {}), ...(entry.object === 'activityLog' ? applicationOf(entry) : {}) };
}

/** The program: an API token, or what acted for the person. */
function applicationOf({ tokenId, client }: ActivityEntry) {
  if (client) return { app_uid: client.id, app_name: client.name };
  return tokenId === undefined ? {} : { app_uid: tokenId };
}

function metadataOf(entry: LogRow['entry'], project: string) {
  const correlation = entry.object === 'activityLog' ? entry.correlationId : undefined;
  return {
    version: '1.5.0',
    product: { name: 'vendor-cloud', vendor_name: 'Vendor' },
    uid: entry.id,
    sequence: entry.sequence,
    tenant_uid: project,
    logged_time: Date.parse(entry.recordedAt),
    ...(correlation === undefined ? {} : { correlation_uid: correlation }),
  };
}
