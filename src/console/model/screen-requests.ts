import { useEffect, useId } from 'react';
import type { AgentAddress, Parameters } from '../wire/agent.ts';

/** A request that a screen makes, for other programs to make as well. */
export interface ScreenRequest {
  /** What it is about, for people. */
  readonly label: string;
  readonly agent: AgentAddress;
  readonly method?: 'GET' | 'POST';
  readonly path: readonly string[];
  readonly parameters?: Parameters;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The call of MCP that does the same, where there is one; a function where something has to be asked first. */
  readonly tool?: ToolCall | (() => Promise<ToolCall>);
  /** Why there is none, for people. */
  readonly whyNoTool?: string;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A request, or what finds it out when somebody asks. */
type OfferedRequest = ScreenRequest | (() => Promise<ScreenRequest>);

const shown = new Map<string, OfferedRequest>();

/** Offers a request of this part of the screen to be copied, as long as the part is shown. */
export function useScreenRequest(request: OfferedRequest): void {
  const id = useId();
  useEffect(() => {
    shown.set(id, request);
    return () => void shown.delete(id);
  });
}

/** The requests of the parts that are shown now. */
export function screenRequests(): Promise<readonly ScreenRequest[]> {
  return Promise.all([...shown.values()].map((request) => (typeof request === 'function' ? request() : request)));
}
