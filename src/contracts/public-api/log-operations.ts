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

const activityPath = '/v1/project/{projectName}/environment/{environmentName}/activity-logs';
const adminPath = '/v1/project/{projectName}/admin-logs';

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
];
