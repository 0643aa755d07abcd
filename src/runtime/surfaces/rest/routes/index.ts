import type { Route } from '../call/route.ts';
import { executeActionRoutes, formHooksRoutes } from './actions.ts';
import { aiRoute } from './ai.ts';
import { beginSignInRoute, exchangePrintedTokenRoute, finishSignInRoute } from './authentication.ts';
import { capabilitiesRoute } from './capabilities.ts';
import { chartRoutes } from './charts.ts';
import { countRecordsRoute } from './count-records.ts';
import { createRecordRoute } from './create-record.ts';
import { deleteRecordRoute, deleteSelectionRoute } from './delete-records.ts';
import { exportRecordsRoute, exportRelatedRoute } from './export-records.ts';
import { getRecordRoute } from './get-record.ts';
import { healthRoute } from './health.ts';
import { associateRoute, dissociateRoute, linkToOneRoute } from './links.ts';
import { listRecordsRoute } from './list-records.ts';
import { nativeQueryRoute } from './native-query.ts';
import { countRelatedRoute, listRelatedRoute } from './related-records.ts';
import { restoreRecordRoute } from './restore-record.ts';
import { scopeCacheRoute } from './scope-cache.ts';
import { statsRoute } from './stats.ts';
import { updateListItemRoute } from './update-list-item.ts';
import { updateRecordRoute } from './update-record.ts';

/** Every route of the REST API, below the prefix. A fixed part of a path wins over a parameter. */
export const routes: readonly Route[] = [
  healthRoute,
  beginSignInRoute,
  finishSignInRoute,
  exchangePrintedTokenRoute,
  capabilitiesRoute,
  listRecordsRoute,
  countRecordsRoute,
  getRecordRoute,
  createRecordRoute,
  updateRecordRoute,
  deleteSelectionRoute,
  deleteRecordRoute,
  restoreRecordRoute,
  exportRecordsRoute,
  exportRelatedRoute,
  listRelatedRoute,
  countRelatedRoute,
  associateRoute,
  dissociateRoute,
  linkToOneRoute,
  updateListItemRoute,
  ...executeActionRoutes,
  ...formHooksRoutes,
  ...chartRoutes,
  statsRoute,
  scopeCacheRoute,
  nativeQueryRoute,
  aiRoute,
];
