import { rowProofSchema } from '../audit/row-proof.ts';
import {
  activityLogExportQuery,
  activityLogQuery,
  activityLogsEcho,
  activityLogsQuery,
  expandedActivityLogSchema,
  pageOf,
} from './activity-logs.ts';
import {
  adminLogExportQuery,
  adminLogQuery,
  adminLogsEcho,
  adminLogsQuery,
  expandedAdminLogSchema,
} from './admin-logs.ts';
import { integritySchema } from './integrity.ts';
import type { PublicOperation } from './operation.ts';
import {
  cosignatureSchema,
  keptCosignatureSchema,
  segmentQuery,
  segmentRowsQuery,
  segmentSchema,
  segmentsSchema,
} from './segments.ts';

const activityPath = '/v1/project/{projectName}/environment/{environmentName}/activity-logs';
const adminPath = '/v1/project/{projectName}/admin-logs';
const segmentsPath = '/v1/project/{projectName}/integrity/segments';

/** What people did, how the project was changed, and what an export is verified with. */
export const logOperations: readonly PublicOperation[] = [
  {
    id: 'listActivityLogs',
    method: 'get',
    path: activityPath,
    summary: 'A page of what people did in an environment, the newest first.',
    scope: 'activity_logs:read',
    query: activityLogsQuery,
    answer: pageOf(expandedActivityLogSchema).extend({ parameters: activityLogsEcho }),
  },
  {
    id: 'getActivityLog',
    method: 'get',
    path: `${activityPath}/{id}`,
    summary: 'One activity log, with all its records.',
    scope: 'activity_logs:read',
    query: activityLogQuery,
    answer: expandedActivityLogSchema,
    isTagged: true,
  },
  {
    id: 'exportActivityLogs',
    method: 'get',
    path: `${activityPath}/export`,
    summary: 'The activity logs of an environment as a stream, the oldest first.',
    scope: 'activity_logs:read',
    query: activityLogExportQuery,
    answer: 'export',
  },
  {
    id: 'listAdminLogs',
    method: 'get',
    path: adminPath,
    summary: 'A page of the changes of the configuration of a project, the newest first.',
    scope: 'admin_logs:read',
    query: adminLogsQuery,
    answer: pageOf(expandedAdminLogSchema).extend({ parameters: adminLogsEcho }),
  },
  {
    id: 'getAdminLog',
    method: 'get',
    path: `${adminPath}/{id}`,
    summary: 'One change of the configuration.',
    scope: 'admin_logs:read',
    query: adminLogQuery,
    answer: expandedAdminLogSchema,
    isTagged: true,
  },
  {
    id: 'exportAdminLogs',
    method: 'get',
    path: `${adminPath}/export`,
    summary: 'The changes of the configuration as a stream, the oldest first.',
    scope: 'admin_logs:read',
    query: adminLogExportQuery,
    answer: 'export',
  },
  {
    id: 'getIntegrity',
    method: 'get',
    path: '/v1/project/{projectName}/integrity',
    summary: 'The public keys and the newest checkpoint of each log.',
    scope: undefined,
    answer: integritySchema,
  },
  {
    id: 'proveActivityLog',
    method: 'get',
    path: `${activityPath}/{id}/proof`,
    summary: 'One activity log with what proves it: its path to the signed root of its month.',
    scope: 'activity_logs:read',
    answer: rowProofSchema,
  },
  {
    id: 'proveAdminLog',
    method: 'get',
    path: `${adminPath}/{id}/proof`,
    summary: 'One change of the configuration with what proves it.',
    scope: 'admin_logs:read',
    answer: rowProofSchema,
  },
  {
    id: 'getActivityLogSegmentRows',
    method: 'get',
    path: `${activityPath}/segments/{month}`,
    summary: 'The rows of a month with its signed root, 5,000 at a time.',
    scope: 'activity_logs:read',
    query: segmentRowsQuery,
    answer: 'export',
  },
  {
    id: 'getAdminLogSegmentRows',
    method: 'get',
    path: `${adminPath}/segments/{month}`,
    summary: 'The changes of the configuration of a month with its signed root, 5,000 at a time.',
    scope: 'admin_logs:read',
    query: segmentRowsQuery,
    answer: 'export',
  },
  {
    id: 'listSegments',
    method: 'get',
    path: `${segmentsPath}/{chain}`,
    summary: 'The segments of a log, one for each month, with their signed roots and what other machines have signed.',
    scope: undefined,
    answer: segmentsSchema,
  },
  {
    id: 'getSegment',
    method: 'get',
    path: `${segmentsPath}/{chain}/{month}`,
    summary: 'The signed root of a month, and a proof of what it was before.',
    scope: undefined,
    query: segmentQuery,
    answer: segmentSchema,
  },
  {
    id: 'addCosignature',
    method: 'post',
    path: '/v1/project/{projectName}/integrity/cosignatures',
    summary: 'Keep what another machine has signed of a segment.',
    scope: 'cosignatures:write',
    body: cosignatureSchema,
    answer: keptCosignatureSchema,
  },
];
