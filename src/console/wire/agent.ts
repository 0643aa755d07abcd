import type { Me } from '#contracts/identity';
import { notAddressable, type Question, RequestFailed, readJson, send } from './http.ts';

/** The agent of one environment. The platform forwards requests to it, or this page calls it where the platform does not reach it. */
export interface AgentAddress {
  readonly environment: string;
}

const ownAddresses = new Map<string, string>();
const known = Promise.withResolvers<void>();
let areKnown = false;

/** Take note of the agents that this page has to call itself. */
export function setAgents(environments: Me['environments']): void {
  areKnown = true;
  known.resolve();
  ownAddresses.clear();
  for (const { name, agent } of environments) {
    if (agent !== null && agent !== 'platform') ownAddresses.set(name, agent.replace(/\/$/, ''));
  }
}

/** Records come without links, which nobody here follows and which are half of the bytes. */
const withoutLinks = { 'service-links': 'none' };

/** Asked once: every cell wants to know. A machine may have a zone that its browser does not know. */
const zoneOfMachine = knownZone(Intl.DateTimeFormat().resolvedOptions().timeZone) || 'UTC';
let chosenZone = '';

/** The time zone that times are shown in, and that days begin in. */
export function zone(): string {
  return chosenZone || zoneOfMachine;
}

/** @param name an IANA zone; empty for that of the machine, which also counts where this browser does not know the zone */
export function setZone(name: string): void {
  chosenZone = knownZone(name);
}

/** A zone that this browser knows; empty for another one. */
function knownZone(zone: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}

export type Parameters = Readonly<Record<string, string | undefined>>;

/** Whether a name or an id can be a part of an address. Browsers and proxies fold `.` and `..` away, encoded or not. */
export function isAddressable(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..';
}

/** @throws RequestFailed for a part that would be folded away, and so would lead elsewhere */
export function agentPath(
  { environment }: AgentAddress,
  parts: readonly string[],
  parameters: Parameters = {},
): string {
  const query = new URLSearchParams({ timezone: zone() });
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  const folded = parts.find((part) => !isAddressable(part));
  if (folded !== undefined) throw notAddressable(folded);
  const path = parts.map(encodeURIComponent).join('/');
  return `${agentPrefix({ environment })}/${path}?${query}`;
}

function agentPrefix({ environment }: AgentAddress): string {
  return `/console/agent/${encodeURIComponent(environment)}`;
}

export async function askAgent<Answer>(
  agent: AgentAddress,
  parts: readonly string[],
  parameters?: Parameters,
  question: Question = {},
): Promise<Answer> {
  const whole = { ...question, headers: { ...withoutLinks, ...question.headers } };
  return readJson<Answer>(await askAgentForBytes(agent, parts, parameters, whole), question.signal);
}

/** As `askAgent`, for files and texts. */
export async function askAgentForBytes(
  agent: AgentAddress,
  parts: readonly string[],
  parameters?: Parameters,
  question: Question = {},
): Promise<Response> {
  try {
    return await sendToAgentOf(agent, agentPath(agent, parts, parameters), withPositions(agent, question));
  } catch (error) {
    if (error instanceof RequestFailed) error.asked = { ...agent, parts };
    throw error;
  }
}

const positionHeader = 'service-read-position';
/** The agent joins what it is sent. Answers may come in another order than their requests, so that the last one is not enough. */
const mostPositions = 4;

/** The question with what the person has written, as the agent has told it: replicas must show it. The pages of a browser share it. */
function withPositions({ environment }: AgentAddress, question: Question): Question {
  const place = `vendor-cloud read positions of ${environment}`;
  const known = () => localStorage.getItem(place)?.split(',') ?? [];
  const sent = known();
  return {
    ...question,
    headers: { ...(sent.length > 0 ? { [positionHeader]: sent.join(',') } : {}), ...question.headers },
    onAnswer: ({ headers }) => {
      const told = headers.get(positionHeader);
      if (told === null) return;
      // It joins those that the request was sent with.
      const others = known().filter((position) => !sent.includes(position));
      localStorage.setItem(place, [...others, told].slice(-mostPositions).join(','));
    },
  };
}

async function sendToAgentOf(agent: AgentAddress, path: string, question: Question): Promise<Response> {
  if (ownAddresses.has(agent.environment)) return sendDirectly(agent, path, question);
  if (areKnown) return send(path, question);
  try {
    return await send(path, question);
  } catch (error) {
    // The first requests of a page do not wait for what is known of its agents. This one may have gone the wrong way.
    if (!(error instanceof RequestFailed) || error.status !== 404) throw error;
    await known.promise;
    if (!ownAddresses.has(agent.environment)) throw error;
    return sendDirectly(agent, path, question);
  }
}

async function sendDirectly(agent: AgentAddress, path: string, question: Question): Promise<Response> {
  const { sendToAgent } = await import('./direct-agent.ts');
  const address = ownAddresses.get(agent.environment) ?? '';
  return sendToAgent({ ...agent, address }, path.slice(agentPrefix(agent).length), question);
}
