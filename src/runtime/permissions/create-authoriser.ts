import { countedOnce, decideForm, decideRun } from './action-rule.ts';
import type { Authoriser } from './authoriser.ts';
import { createRightsAtHand } from './caller-rights.ts';
import { decideChart } from './chart-rule.ts';
import { decideRead, decideRight } from './collection-rule.ts';
import { insist } from './decision.ts';
import type { PermissionDocuments } from './permission-documents.ts';
import { scopeOf } from './scope-rule.ts';
import { decideSegmentQuery } from './segment-rule.ts';

const isAllowed = Promise.resolve();

/**
 * An authoriser that decides by the platform's permissions. Before it denies, it fetches documents again that are older than
 * a few seconds. A development environment allows everything.
 */
export function createAuthoriser(documents: PermissionDocuments): Authoriser {
  const atHand = createRightsAtHand(documents);
  return {
    require: (caller, collection, right) =>
      atHand.holds(caller, collection, right)
        ? isAllowed
        : insist(documents, caller, (standing) => decideRight(standing, collection, right)),
    requireReadOn: (caller, collections) => {
      const names = [...collections];
      if (names.every((name) => atHand.holds(caller, name, 'read'))) return isAllowed;
      return insist(documents, caller, (standing) => decideRead(standing, names));
    },
    requireForm: (caller, collection, action) =>
      insist(documents, caller, (standing) => decideForm(standing, collection, action)),
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
    scopeOf: (caller, collection) => {
      const known = atHand.scopeOf(caller, collection);
      return known ? known.tree : scopeOf(documents, caller, collection);
    },
    refreshRendering: (renderingId) => documents.refresh(renderingId),
  };
}
