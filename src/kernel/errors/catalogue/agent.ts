import type { CatalogueEntry } from './catalogue-entry.ts';
import { exitCodes } from './exit-codes.ts';

const requestError = { kind: 'user', recover: 'none', exitCode: exitCodes.failed } as const;

/** Errors of the agent: the customization code it runs, and its AI features and tools. */
export const agentErrors = {
  CUSTOMIZATION_NOT_A_FUNCTION: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 500,
    cause: 'The customization entry does not export a function.',
    fix: 'Export it as default: `export default function customize(agent: Agent) { … }`.',
  },
  CUSTOMIZATION_FAILED: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 500,
    cause: 'The customization code threw, or the promise it returned was rejected.',
    fix: 'Correct the place in the code frame.',
  },
  CUSTOMIZATION_INVALID: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 500,
    cause: 'A declaration does not fit the model: an unknown collection or field, a name taken twice, a cycle.',
    fix: 'Correct the declarations the message lists.',
  },
  CUSTOMIZATION_UNRESPONSIVE: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.timeout,
    status: 503,
    cause:
      'The customization code blocked its worker for too long: an endless loop, a wait that stops the thread, or a native function.',
    fix: 'Remove what the message names, or await an asynchronous form of it, then save.',
  },
  CUSTOMIZATION_EXITED: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 503,
    cause: 'The customization code ended its worker, for instance with `process.exit()` or by running out of memory.',
    fix: 'Throw an error instead of ending the process.',
  },
  CUSTOMIZATION_NOT_LOADED: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 503,
    cause: 'The agent of `vendor-cloud dev` has lost its worker, and no code loads in another one.',
    fix: 'Correct the code as the message says, and save it: the agent goes on with the next code that loads.',
  },
  AGENT_WORKER_LOST: {
    kind: 'environment',
    recover: 'retry',
    exitCode: exitCodes.platform,
    status: 503,
    cause:
      'The worker of `vendor-cloud dev` that carried out the request ended before it had answered, because of the customization code.',
    fix: 'Send the request again after the seconds of the header `Retry-After`. Look first whether a write was done. The terminal says why.',
  },
  AGENT_OPTION_INVALID: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 500,
    cause: 'An option given to `createAgent` is missing or malformed.',
    fix: 'Correct the option the message names.',
  },
  AGENT_MOUNT_INVALID: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 500,
    cause:
      'A mount method was given something else than an application of its framework, or one that would not ask the agent.',
    fix: 'Hand over the application itself, before it is initialised, to the mount method of its framework.',
  },
  AGENT_BODY_CONSUMED: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 500,
    cause: 'The application the agent is mounted on has read the body of a request and not kept what it read.',
    fix: 'Mount the agent before whatever reads bodies, or have that set `request.body`.',
  },
  AGENT_SCHEMA_MISSING: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 500,
    cause:
      'In production the agent sends the schema file that was made in development, and there is none, or it is not one.',
    fix: 'Run the agent once in development, or call `generateSchemaOnly`, and ship the file with the code.',
  },
  ACTIVITY_NOT_RECORDED: {
    kind: 'environment',
    recover: 'retry',
    exitCode: exitCodes.machine,
    status: 503,
    cause:
      'The agent reports every write, and the report cannot be kept. Too many wait to be sent to the platform, or their folder cannot be written. Nothing was written.',
    fix: 'Look at the log of the agent; see that the platform answers and that the folder of the outbox has room.',
  },
  AGENT_UNREACHABLE: {
    kind: 'environment',
    recover: 'retry',
    exitCode: exitCodes.platform,
    status: 502,
    cause: 'The platform forwards the requests of the console to the agent, and the agent does not answer it.',
    fix: 'See that the agent runs, and that `--agent-address` of `platform start` names where the platform reaches it.',
  },
  AGENT_SIGN_IN_REFUSED: {
    kind: 'environment',
    recover: 'change-env',
    exitCode: exitCodes.platform,
    status: 502,
    cause:
      'The platform signs somebody in at the agent that it forwards to, and the agent refuses that. It has the secret of another environment, asks another platform, or is too old.',
    fix: 'Start the agent with the secret of the environment, the address of this platform, and this version of the package.',
  },
  IMPERSONATION_ENDED: {
    ...requestError,
    status: 403,
    cause:
      'The time in which an administrator saw the console as somebody else is over, or one of the two has no place in the project any more.',
    fix: 'Go back to your own view, and begin again from the form of the person.',
  },
  IMPERSONATION_READS_ONLY: {
    ...requestError,
    status: 403,
    cause:
      'Something was to be written, or asked for at the platform, while an administrator saw the console as somebody else.',
    fix: 'Go back to your own view.',
  },
  AGENT_TOKEN_ENDED: {
    kind: 'environment',
    recover: 'retry',
    exitCode: exitCodes.platform,
    status: 503,
    cause: 'The session at the agent ended while a request was on its way. Nothing was done.',
    fix: 'Send the request again after the seconds of the header `Retry-After`: the platform signs the person in again.',
  },
  AGENT_REFUSED: {
    ...requestError,
    status: 502,
    cause: 'The agent refused what a command asked it for, without a code of this list.',
    fix: 'Look at what `vendor-cloud dev` says of the request.',
  },
  AI_NOT_CONFIGURED: {
    ...requestError,
    status: 422,
    wireName: 'UnprocessableError',
    cause: 'An AI feature was asked for, and the agent has no provider of a model.',
    fix: 'Add one with `agent.addAi(createAiProvider({ … }))`.',
  },
  AI_LIMIT_REACHED: {
    ...requestError,
    recover: 'retry',
    status: 429,
    wireName: 'TooManyRequestsError',
    cause: 'A person has used the AI features more often within a minute than the agent allows.',
    fix: 'Ask again after the `retryAfterSeconds` of the error, or raise `callsPerMinute` of `agent.addAi`.',
  },
  AI_REQUEST_REFUSED: {
    ...requestError,
    status: 400,
    wireName: 'ValidationError',
    cause: 'The provider of the model does not take a conversation, for instance because it is too long.',
    fix: 'Shorten it, and check that each answer of a tool follows the call that asked for it.',
  },
  AI_PROVIDER_REFUSED: {
    kind: 'environment',
    recover: 'change-env',
    exitCode: exitCodes.machine,
    status: 502,
    cause: 'The provider of the model refuses the agent: its key, its model or its account.',
    fix: 'Check the key and the model that `createAiProvider` is given.',
  },
  AI_PROVIDER_UNAVAILABLE: {
    kind: 'environment',
    recover: 'retry',
    exitCode: exitCodes.machine,
    status: 503,
    cause: 'The provider of the model cannot be reached, is busy, or failed.',
    fix: 'Try again in a moment.',
  },
  AI_PACKAGE_MISSING: {
    kind: 'environment',
    recover: 'change-env',
    exitCode: exitCodes.machine,
    status: 500,
    cause: 'The package of the provider of the model is not installed.',
    fix: 'Install it beside the agent: `npm install openai` or `npm install @anthropic-ai/sdk`.',
  },
  AI_TOOL_UNKNOWN: {
    ...requestError,
    status: 404,
    wireName: 'NotFoundError',
    cause: 'A tool was called that no tool server of the agent has.',
    fix: 'Use a name of the list of remote tools.',
  },
  AI_TOOL_FAILED: {
    ...requestError,
    status: 422,
    wireName: 'UnprocessableError',
    cause: 'A tool server did not carry out a call: it failed, did not answer in time, or answered too much.',
    fix: 'Correct the arguments, or look at the tool server.',
  },
  MCP_READ_ONLY: {
    ...requestError,
    status: 403,
    cause: 'A tool that writes was called, and the MCP server is in its read-only mode.',
    fix: 'Use the tools that read, or have whoever runs the agent turn the mode off.',
  },
  MCP_LIMIT_REACHED: {
    ...requestError,
    recover: 'retry',
    status: 429,
    cause:
      'A person has sent more requests through one client of the MCP server within a minute than the server allows, or has called more tools that write.',
    fix: 'Call again after the seconds of the header `Retry-After`, or of `retryAfterSeconds` in the error of a tool.',
  },
  MCP_CONFIRMATION_INVALID: {
    ...requestError,
    status: 422,
    cause:
      'The confirmation of a call was not made by this agent, was made for another person, client or call, was used before, or is about records that have changed since.',
    fix: 'Make the call without it, and have the person confirm again.',
  },
  MCP_CONFIRMATION_EXPIRED: {
    ...requestError,
    status: 422,
    cause: 'The confirmation of a call came later than ten minutes after the question.',
    fix: 'Make the call without it, and have the person confirm again.',
  },
  MCP_CONFIRMATION_DECLINED: {
    ...requestError,
    status: 403,
    cause: 'The person was asked to confirm a call, and did not. Nothing was done.',
    fix: 'Ask the person what they want instead.',
  },
  MCP_PERSON_REQUIRED: {
    ...requestError,
    status: 403,
    cause:
      'An assistant that has read text that people outside can write asked for a write, an action, a link or many records. Such a text may have told it to, so the person has to agree. Nothing was done.',
    fix: 'Answer on the page `/settings/assistants` of the platform, or with `vendor-cloud mcp approve`. Then the assistant makes the same call again. `vendor-cloud mcp marks clear` ends the asking.',
  },
  MCP_MARK_UNAVAILABLE: {
    kind: 'platform',
    recover: 'retry',
    exitCode: exitCodes.platform,
    status: 503,
    cause:
      'The platform could not be asked whether an assistant has read text that people outside can write, or could not be told that it does now. The text was not given, or nothing was done.',
    fix: 'Make the call again once the platform answers.',
  },
  MCP_FIRST_USE_UNKNOWN: {
    kind: 'platform',
    recover: 'retry',
    exitCode: exitCodes.platform,
    status: 503,
    cause:
      'A call was not carried out, because the platform could not be asked whether its confirmation or its idempotency key was used before.',
    fix: 'Make the call again in a moment; see that the agent reaches the platform.',
  },
} as const satisfies Record<string, CatalogueEntry>;
