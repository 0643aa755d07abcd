import type { Authoriser } from './authoriser.ts';

/** For questions about the code of a project, asked on the machine of its author. Never for a request. */
export const allowEverything: Authoriser = {
  require: async () => undefined,
  requireReadOn: async () => undefined,
  requireForm: async () => undefined,
  requireActionRun: async () => undefined,
  requireChart: async () => undefined,
  requireSegmentQuery: async () => undefined,
  scopeOf: async () => undefined,
  refreshRendering: () => undefined,
};
