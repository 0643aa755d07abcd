import { decideRun, decideTrigger } from './action-rule.ts';
import { countedOnce } from './action-run.ts';
import type { Authoriser } from './authoriser.ts';
import { decideChart } from './chart-rule.ts';
import { decideRead, decideRight } from './collection-rule.ts';
import type { PermissionDocuments } from './permission-documents.ts';
import { scopeOf } from './scope-rule.ts';
import { decideSegmentQuery } from './segment-rule.ts';
import { insist } from './standing.ts';

/**
 * An authoriser that goes by the platform's permissions. Before it denies, it looks again at documents older than a few
 * seconds. A development environment allows everything.
 */
export function createAuthoriser(documents: PermissionDocuments): Authoriser {
  return {
    require: (caller, collection, right) =>
      insist(documents, caller, (standing) => decideRight(standing, collection, right)),
    requireReadOn: (caller, collections) => {
      const names = [...collections];
      return insist(documents, caller, (standing) => decideRead(standing, names));
    },
    requireTrigger: (caller, collection, action) =>
      insist(documents, caller, (standing) => decideTrigger(standing, collection, action)),
    requireActionRun: (caller, run) => {
      const counted = countedOnce(run);
      return insist(documents, caller, (standing) => decideRun(standing, counted));
    },
    requireChart: (caller, definition) =>
      insist(documents, caller, (standing) => decideChart(standing, caller, definition)),
    requireSegmentQuery: (caller, collection, connectionName, query) =>
      insist(documents, caller, (standing) =>
        decideSegmentQuery(standing, caller, { collection, connectionName, query }),
      ),
    scopeOf: (caller, collection) => scopeOf(documents, caller, collection),
    refreshRendering: (renderingId) => documents.refresh(renderingId),
  };
}
