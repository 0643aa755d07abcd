import path from 'node:path';
import { type KnownQueries, knownQueriesSchema, type MeasuredQuery } from '#contracts/insights';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { reportOfError } from '#kernel/errors/error-report';
import { type CheckInput, type CheckResult, check } from '../check/check.ts';
import { type CheckedStep, failed, passed, stepOf } from '../check/checked-step.ts';
import type { FlowContext } from '../flow-context.ts';
import { askForInsights, type InsightsTarget } from './read-insights.ts';

interface CheckWithInsightsInput extends Pick<CheckInput, 'against'>, Omit<InsightsTarget, 'slowerThanMs'> {
  /** File of the slow queries that the team knows of. */
  readonly insights: string;
}

/** All that `check` looks at, and whether an agent has a slow query that nobody knows of. Where no agent answers, that step fails. */
export async function checkWithInsights(context: FlowContext, input: CheckWithInsightsInput): Promise<CheckResult> {
  const { project, steps, isPassed } = await check(context, input);
  const { step, value } = await stepOf('insights', () => compareWithKnown(context, input));
  const { problems, ...checked } = value ?? step;
  return {
    project,
    isPassed: isPassed && checked.state !== 'failed',
    steps: [...steps, { ...checked, problems: problems.map(reportOfError) }],
  };
}

async function compareWithKnown(
  context: FlowContext,
  { insights: name, ...target }: CheckWithInsightsInput,
): Promise<CheckedStep> {
  const file = path.resolve(target.folder, name);
  const known = await readKnown(context, file);
  const { insights } = await askForInsights(context, { ...target, slowerThanMs: known.slowerThanMs });
  const added = insights.queries.filter(({ id, isSlow }) => isSlow && !known.slow.includes(id));
  if (added.length > 0)
    return failed(
      'insights',
      added.map((query) => slowQuery(query, known, name)),
    );
  const since = insights.since.slice(0, 16).replace('T', ' ');
  return passed('insights', `${counted(insights.calls)} since ${since} UTC, no new slow query`);
}

async function readKnown({ fs }: FlowContext, file: string): Promise<KnownQueries> {
  const text = await fs.readText(file);
  if (text === null) throw unusable(file, 'is not there');
  const known = knownQueriesSchema.safeParse(parsed(text));
  if (!known.success) throw unusable(file, 'does not list slow queries');
  return known.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unusable(file: string, problem: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `${file} ${problem}.`,
    `Write it: vendor-cloud insights --output ${path.basename(file)}`,
  );
}

function slowQuery({ id, p95Ms, calls }: MeasuredQuery, { slowerThanMs }: KnownQueries, file: string): CloudError {
  return cloudError(
    'QUERY_SLOW',
    `"${id}" is slow: 95 of 100 calls took up to ${p95Ms} ms (${counted(calls)}). ${file} does not know it, and calls more than ${slowerThanMs} ms slow.`,
    [
      'Look at its plan and at missing indexes: vendor-cloud insights',
      `If it may be slow, add it to the file: vendor-cloud insights --slower-than ${slowerThanMs} --output ${file}`,
    ],
  );
}

function counted(calls: number): string {
  return calls === 1 ? '1 call' : `${calls} calls`;
}
