import { cloudError } from '#kernel/errors/cloud-error';
import type { Authoriser } from '#runtime/permissions/authoriser';
import { everythingAllowed } from './call-context.ts';

/** Writes down each question, and denies those that begin with `denied`. A run of an action opens its selection. */
export function recordingAuthoriser(denied?: string): { readonly authoriser: Authoriser; readonly asked: string[] } {
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    if (denied === undefined || !question.startsWith(denied)) return;
    throw cloudError('REQUEST_FORBIDDEN', 'No.', 'Ask.');
  };
  const authoriser: Authoriser = {
    ...everythingAllowed,
    require: (_caller, collection, right) => ask(`${right} ${collection}`),
    requireReadOn: async (_caller, collections) => {
      for (const name of collections) await ask(`read on ${name}`);
    },
    requireForm: (_caller, collection, action) => ask(`form ${collection} ${action}`),
    requireActionRun: (_caller, { collection, action, requesterId }) =>
      ask(`${requesterId === undefined ? 'run' : 'approve'} ${collection} ${action}`),
    requireChart: (_caller, definition) => ask(`chart ${JSON.stringify(definition)}`),
  };
  return { authoriser, asked };
}
