import type { AskAnswer, ListedAsk, ListedMark } from '#contracts/mcp-marks';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';

interface Target {
  readonly folder: string;
  readonly environment: string | undefined;
}

export interface SessionMarks {
  readonly environment: string;
  /** The newest first. */
  readonly marks: readonly ListedMark[];
}

export interface ClearedMark {
  readonly environment: string;
  readonly id: number;
  /** What the client calls itself; `null` where nobody knows. */
  readonly name: string | null;
  readonly isCleared: boolean;
}

export interface AnsweredAsk {
  readonly environment: string;
  readonly id: string;
  readonly message: string;
  readonly answer: AskAnswer;
}

/** The MCP sessions of the person that have read what people outside can write, and what they ask. */
export async function listSessionMarks(context: FlowContext, target: Target): Promise<SessionMarks> {
  return (await findMarks(context, target)).found;
}

/** Take the mark of a session away, once the person has seen what it has read. */
export async function clearSessionMark(
  context: FlowContext,
  { id, confirm, ...target }: Target & { readonly id: number; confirm(mark: ListedMark): Promise<boolean> },
): Promise<ClearedMark> {
  const { client, found } = await findMarks(context, target);
  const mark = found.marks.find((each) => each.id === id);
  const cleared = { environment: found.environment, id, name: mark?.clientName ?? null };
  if (mark && !(await confirm(mark))) return { ...cleared, isCleared: false };
  await client.clearMcpMark(id);
  return { ...cleared, isCleared: true };
}

/** Answer what such a session asks, once the person has seen it. */
export async function answerAsk(
  context: FlowContext,
  {
    id,
    decide,
    ...target
  }: Target & { readonly id: string; decide(ask: ListedAsk, mark: ListedMark): Promise<AskAnswer> },
): Promise<AnsweredAsk> {
  const { client, found } = await findMarks(context, target);
  const asks = found.marks.flatMap((mark) => mark.asks.map((ask) => ({ ask, mark })));
  const named = asks.find(({ ask }) => ask.id === id);
  if (!named) throw noAsk(found.environment);
  const { ask, mark } = named;
  const answer = ask.answer ?? (await decide(ask, mark));
  if (ask.answer === null) await client.answerMcpAsk(id, answer);
  return { environment: found.environment, id, message: ask.preview.message, answer };
}

async function findMarks(context: FlowContext, { folder, environment }: Target) {
  const project = await openProject(context.fs, folder, context.variables);
  const { client } = await connectToPlatform(context, project, environment);
  const [me, marks] = await Promise.all([client.me(), client.listMcpMarks()]);
  const found: SessionMarks = { environment: me.environment, marks };
  return { client, found };
}

function noAsk(environment: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `No assistant of yours waits for this answer in ${environment}, or the question has ended.`,
    'See what is open: vendor-cloud mcp marks list',
  );
}
