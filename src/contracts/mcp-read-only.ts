import { cloudError } from '#kernel/errors/cloud-error';

/** Whether the MCP server leaves out the tools that write. */
export const readOnlyVariable = 'SERVICE_MCP_READ_ONLY';

/** What `SERVICE_MCP_READ_ONLY` says; `undefined` where it is not set. Throws `AGENT_OPTION_INVALID`: a typo must not let anybody write. */
export function parseReadOnly(text: string | undefined): boolean | undefined {
  if (text === undefined || text === '') return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  throw cloudError(
    'AGENT_OPTION_INVALID',
    `The environment variable ${readOnlyVariable} is invalid: it must be true or false.`,
    'Set it to true or to false, or remove it.',
  );
}
