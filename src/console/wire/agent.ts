import { ask, type Question, send } from './http.ts';

/** The agent of one environment, which the platform forwards requests to. */
export interface AgentAddress {
  readonly environment: string;
}

/** Records come without links, which nobody here follows and which are half of the bytes. */
const withoutLinks = { 'service-links': 'none' };

/** Asked once: every cell wants to know. */
const zoneOfMachine = Intl.DateTimeFormat().resolvedOptions().timeZone;
let chosenZone = '';

/** The time zone that times are shown in, and that days begin in. */
export function zone(): string {
  return chosenZone || zoneOfMachine;
}

/** @param name an IANA zone; empty for that of the machine */
export function setZone(name: string): void {
  chosenZone = name;
}

export type Parameters = Readonly<Record<string, string | undefined>>;

export function agentPath(
  { environment }: AgentAddress,
  parts: readonly string[],
  parameters: Parameters = {},
): string {
  const query = new URLSearchParams({ timezone: zone() });
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  const path = parts.map(encodeURIComponent).join('/');
  return `/console/agent/${encodeURIComponent(environment)}/${path}?${query}`;
}

export function askAgent<Answer>(
  agent: AgentAddress,
  parts: readonly string[],
  parameters?: Parameters,
  question: Question = {},
): Promise<Answer> {
  return ask(agentPath(agent, parts, parameters), { ...question, headers: { ...withoutLinks, ...question.headers } });
}

/** As `askAgent`, for files and texts. */
export function askAgentForBytes(
  agent: AgentAddress,
  parts: readonly string[],
  parameters?: Parameters,
  question: Question = {},
): Promise<Response> {
  return send(agentPath(agent, parts, parameters), question);
}
