import type { Authoriser } from './authoriser.ts';

/** Allows everything. It serves questions about the code of a project on the machine of its author, and never a request. */
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
