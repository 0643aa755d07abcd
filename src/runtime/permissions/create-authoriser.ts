import { decideForm, decideRun, openedOnce } from './action-rule.ts';
import type { Authoriser } from './authoriser.ts';
import { decideChart } from './chart-rule.ts';
import { decideRead, decideRight } from './collection-rule.ts';
import { insist } from './decision.ts';
import type { PermissionDocuments } from './permission-documents.ts';
import { scopeOf } from './scope-rule.ts';
import { decideSegmentQuery } from './segment-rule.ts';

/**
 * An authoriser that decides by the platform's permissions. Before it denies, it fetches documents again that are older than
 * a few seconds. A development environment allows everything.
 */
export function createAuthoriser(documents: PermissionDocuments): Authoriser {
  return {
    require: (caller, collection, right) =>
      insist(documents, caller, (standing) => decideRight(standing, collection, right)),
    requireReadOn: (caller, collections) => {
      const names = [...collections];
      if (names.length === 0) return Promise.resolve();
      return insist(documents, caller, (standing) => decideRead(standing, names));
    },
    requireForm: (caller, collection, action) =>
      insist(documents, caller, (standing) => decideForm(standing, collection, action)),
    requireActionRun: (caller, run) => {
      const opened = openedOnce(run);
      return insist(documents, caller, (standing) => decideRun(standing, opened));
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
