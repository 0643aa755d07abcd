import * as z from 'zod';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import { agentErrorOf, jsonOf, segmentOf } from './agent-client.ts';
import { type AgentOfProject, withAgent } from './agent-of-project.ts';

export interface ChartQuestion extends AgentOfProject {
  readonly chart: string;
  /** The collection of the chart, and the record that it is about; without them it is a chart of the agent. */
  readonly about?: { readonly collection: string; readonly record: string } | undefined;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface ChartResult {
  readonly chart: string;
  readonly value: unknown;
}

const documentSchema = z.object({ data: z.object({ attributes: z.object({ value: z.unknown() }) }) });

/** What a chart of the code shows. */
export function runChart(context: FlowContext, question: ChartQuestion): Promise<ChartResult> {
  const { chart, about, parameters, timezone } = question;
  return withAgent(context, question, async (agent) => {
    const place = about ? `${segmentOf(about.collection)}/${segmentOf(chart)}` : segmentOf(chart);
    const response = await agent.send({
      method: 'POST',
      path: `/_charts/${place}`,
      query: { timezone },
      body: { ...parameters, ...(about ? { record_id: about.record } : {}) },
    });
    if (response.status < 400) return { chart, value: documentSchema.parse(jsonOf(response)).data.attributes.value };
    const refusal = agentErrorOf(response);
    throw response.status === 404 && refusal.code === 'AGENT_REFUSED' ? unknownChart(question) : refusal;
  });
}

function unknownChart({ chart, about }: ChartQuestion): CloudError {
  const place = about ? `The collection "${about.collection}"` : 'The agent';
  return cloudError('USAGE_INVALID', `${place} has no chart "${chart}".`, [
    'Check the name of the chart: the code gives it in "addChart".',
    ...(about ? [] : ['A chart of a collection needs it, and a record: --collection orders --record 7']),
  ]);
}
