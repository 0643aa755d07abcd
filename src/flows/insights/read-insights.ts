import path from 'node:path';
import { type Insights, insightsSchema, type KnownQueries } from '#contracts/insights';
import type { SuggestedRights } from '#contracts/rights';
import { isCloudError } from '#kernel/errors/cloud-error';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';
import { createAgentClient } from '../run/agent-client.ts';
import { printToken } from '../tokens/print-token.ts';

/** Which agent is asked: that of the session or of an environment, unless its address is given. */
export interface InsightsTarget {
  readonly folder: string;
  readonly environment: string | undefined;
  readonly agentUrl: string | undefined;
  /** Milliseconds. Default: as the agent has it. */
  readonly slowerThanMs: number | undefined;
}

export interface InsightsInput extends InsightsTarget {
  /** File that the slow queries are written to, as known ones. */
  readonly output: string | undefined;
}

/** Rights that nobody needed lately, one sentence each; why there are none, where nobody could say. */
type UnneededRights =
  | ({ readonly days: number; readonly sentences: readonly string[] } & Pick<SuggestedRights, 'unjudged' | 'logSince'>)
  | { readonly note: string };

export interface ReadInsights extends Insights {
  /** The agent that answered. */
  readonly agentUrl: string;
  readonly unneededRights: UnneededRights;
  /** The file that was written; `null` for none. */
  readonly file: string | null;
}

const daysOfRights = 30;
const tokenSeconds = 60;

/** What an agent has noticed of its own work, and the rights that nobody of its environment needed lately. */
export async function readInsights(context: FlowContext, { output, ...target }: InsightsInput): Promise<ReadInsights> {
  const { insights, agentUrl } = await askForInsights(context, target);
  const unneededRights = await rightsThatNobodyNeeds(context, target);
  const file = output === undefined ? null : path.resolve(target.folder, output);
  if (file !== null) await context.fs.writeAtomically(file, `${JSON.stringify(knownOf(insights), null, 2)}\n`);
  return { ...insights, agentUrl, unneededRights, file };
}

/** Ask one agent, as the person who is signed in at its platform. Rejects with `REQUEST_FORBIDDEN` for who is not a developer. */
export async function askForInsights(
  context: FlowContext,
  { folder, environment, agentUrl, slowerThanMs }: InsightsTarget,
): Promise<{ readonly insights: Insights; readonly agentUrl: string }> {
  const { url, token } = await printToken(context, {
    ...{ folder, environment, agentUrl, audience: 'agent' },
    ...{ expiresInSeconds: tokenSeconds, readOnly: true },
  });
  const agent = createAgentClient(context.http, { url, token });
  const query = { slowerThan: slowerThanMs === undefined ? undefined : String(slowerThanMs) };
  const answer = await agent.json({ method: 'GET', path: '/_internal/insights', query });
  return { insights: insightsSchema.parse(answer), agentUrl: url };
}

/** The slow queries, as a file that changes only when they do. */
function knownOf({ slowerThanMs, queries }: Insights): KnownQueries {
  const slow = queries.filter(({ isSlow }) => isSlow).map(({ id }) => id);
  return { slowerThanMs, slow: slow.toSorted() };
}

async function rightsThatNobodyNeeds(context: FlowContext, target: InsightsTarget): Promise<UnneededRights> {
  try {
    const project = await openProject(context.fs, target.folder, context.variables);
    const { client } = await connectToPlatform(context, project, target.environment);
    const { document, removed, unjudged, logSince } = await client.suggestedRights(daysOfRights);
    if (!document) return { note: 'Nobody has set rights in this environment.' };
    return { days: daysOfRights, sentences: removed, unjudged, logSince };
  } catch (error) {
    if (!isCloudError(error) || error.kind === 'bug' || error.code === 'INTERRUPTED') throw error;
    return { note: error.message };
  }
}
