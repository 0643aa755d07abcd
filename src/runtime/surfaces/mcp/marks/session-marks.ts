import { hash } from 'node:crypto';
import type {
  Ask,
  AskPreview,
  AskState,
  GivenAnswer,
  GivenOutcome,
  McpMark,
  McpSession,
  ReadBounds,
} from '#contracts/mcp-marks';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Random } from '#kernel/ports/random';
import type { McpMarkClient } from '#platform-client/index';

/** Keeps the marks: the platform. */
export interface McpMarkPlatform {
  readonly mcpMarks: McpMarkClient;
}

/** Whether other processes of the agent have marked a session, as far as this one has heard. */
export type IsHeardMarked = (session: McpSession) => boolean;

/** A call that a person is asked about. */
interface AskedCall {
  readonly tool: string;
  /** The arguments, without those about the call itself. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** What is about to be given to a client. */
type Given = Pick<GivenAnswer, 'records' | 'reads' | 'readCount'>;

/** Which sessions have read what people outside can write, and what their people say. Rejects with `MCP_MARK_UNAVAILABLE`. */
export interface SessionMarks {
  /** Asks the platform. `null` for a session without a mark. */
  find(session: McpSession): Promise<McpMark | null>;
  /**
   * To be called before an answer leaves. The platform learns about it where the answer holds such text, or the session is marked.
   *
   * @param isAgreed The person has agreed to the answer: bounds do not hold.
   */
  give(session: McpSession, given: Given, isAgreed?: boolean): Promise<GivenOutcome>;
  /** Ask the person at the platform. */
  ask(session: McpSession, call: AskedCall, preview: AskPreview): Promise<AskState>;
  /** Whether the person has said yes to the call, and no other run has used it. */
  useYes(session: McpSession, call: AskedCall, preview: AskPreview): Promise<boolean>;
}

export interface MarkParts {
  readonly platform: McpMarkPlatform;
  readonly isHeardMarked: IsHeardMarked;
  readonly bounds: ReadBounds;
  readonly random: Random;
}

const unmarked: GivenOutcome = { isMarked: false, isBeyond: false };

export function createSessionMarks({ platform, isHeardMarked, bounds, random }: MarkParts): SessionMarks {
  const { mcpMarks } = platform;
  // Those that this process has marked or has found marked, until the platform says otherwise.
  const marked = new Set<string>();
  const keyOf = ({ personId, client }: McpSession) => `${personId} ${client}`;
  const learn = (session: McpSession, isMarked: boolean) => {
    if (isMarked) marked.add(keyOf(session));
    else marked.delete(keyOf(session));
  };
  return {
    find: async (session) => {
      const mark = await known(mcpMarks.find(session));
      learn(session, mark !== null);
      return mark;
    },
    give: async (session, given, isAgreed = false) => {
      const mayBeMarked = marked.has(keyOf(session)) || isHeardMarked(session);
      if (given.readCount === 0 && !(mayBeMarked && given.records > 0)) return unmarked;
      const outcome = await known(mcpMarks.give({ ...session, ...given, ...(isAgreed ? {} : { bounds }) }));
      learn(session, outcome.isMarked);
      return outcome;
    },
    ask: (session, call, preview) =>
      known(mcpMarks.ask({ ...askOf(session, call, preview), tool: call.tool, preview })),
    useYes: (session, call, preview) =>
      known(mcpMarks.useYes({ ...askOf(session, call, preview), runId: random.uuid() })),
  };
}

/** A yes is for one call: the person, the client, the tool, its arguments, and what the person was shown. */
function askOf(session: McpSession, { tool, given }: AskedCall, preview: AskPreview): McpSession & Pick<Ask, 'digest'> {
  return { ...session, digest: hash('sha256', canonicalJson(['mcp ask', session, tool, given, preview])) };
}

async function known<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (cause) {
    throw unavailable(cause);
  }
}

function unavailable(cause: unknown): CloudError {
  return cloudError(
    'MCP_MARK_UNAVAILABLE',
    'The platform could not be asked whether this assistant has read text that people outside can write.',
    'Make the call again in a moment.',
    { cause },
  );
}

/** The person has to agree, at the platform. */
export function personRequired({ id, url, expiresAt }: AskState): CloudError {
  return cloudError(
    'MCP_PERSON_REQUIRED',
    'Nothing was done. This assistant has read text that people outside can write, so the person has to agree to this call first.',
    [
      `Ask the person to answer on the page ${url}, or in a terminal: vendor-cloud mcp approve ${id}`,
      `When they have agreed, and before ${expiresAt}, make the same call with the same arguments.`,
    ],
  );
}
