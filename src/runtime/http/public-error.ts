import type { CatalogueEntry } from '#kernel/errors/catalogue';
import { catalogue } from '#kernel/errors/catalogue';
import { type CloudError, toCloudError } from '#kernel/errors/cloud-error';

/** An error as a client of the agent may see it. */
export interface PublicError {
  readonly name: string;
  readonly detail: string;
  readonly status: number;
  readonly code: CloudError['code'];
  readonly nextSteps: readonly string[];
  readonly data?: Readonly<Record<string, unknown>>;
}

const badGateway = 502;

/** Codes whose message quotes what somebody's code threw, which may hold a query or a secret. */
const withheld: ReadonlySet<string> = new Set(['INTERNAL_BUG', 'CUSTOMIZATION_FAILED']);

/** Shape whatever was thrown for a client: no stack, no cause, no words of foreign code. */
export function publicErrorOf(thrown: unknown): PublicError {
  const error = toCloudError(thrown);
  const entry: CatalogueEntry = catalogue[error.code];
  const head = { name: entry.wireName ?? 'InternalServerError', status: entry.status, code: error.code };
  if (withheld.has(error.code)) {
    const nextSteps = ['Look up the correlation id of the response in the log of the agent.'];
    return { ...head, detail: 'Unexpected error', nextSteps };
  }
  if (entry.kind === 'environment' || entry.kind === 'platform') {
    // Where the database or the platform is and how it is reached is nothing for a client; whether a retry helps is.
    const nextSteps = entry.recover === 'retry' ? ['Try again in a moment.'] : ['Tell whoever runs the agent.'];
    // That the platform refuses the agent is no fault of whoever asks the agent.
    return {
      ...head,
      status: entry.status < 500 ? badGateway : entry.status,
      detail: 'The agent cannot answer now.',
      nextSteps,
    };
  }
  const hasData = Object.keys(error.details).length > 0;
  return { ...head, detail: error.message, nextSteps: error.nextSteps, ...(hasData ? { data: error.details } : {}) };
}
