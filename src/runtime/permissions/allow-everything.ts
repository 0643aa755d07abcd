import type { Authoriser } from './authoriser.ts';

/** For what is about the code of a project, on the machine of who wrote it, and never answers a request. */
export const allowEverything: Authoriser = {
  require: async () => undefined,
  requireReadOn: async () => undefined,
  requireTrigger: async () => undefined,
  requireActionRun: async () => undefined,
  requireChart: async () => undefined,
  requireSegmentQuery: async () => undefined,
  scopeOf: async () => undefined,
  refreshRendering: () => undefined,
};
