import type { ActionService } from '../../actions/action-service.ts';
import type { ChartService } from '../../charts/chart-service.ts';
import type { CompiledModel } from '../../model/compiled-model.ts';
import type { Authoriser } from '../../permissions/authoriser.ts';
import type { RecordService } from '../../records/request/record-service.ts';

/** Everything one request needs. Immutable: a reload makes a new one. */
export interface AgentState {
  readonly model: CompiledModel;
  readonly recordService: RecordService;
  readonly actions: ActionService;
  readonly charts: ChartService;
  readonly authoriser: Authoriser;
}

/** A state in use by one request. */
export interface StateLease {
  readonly state: AgentState;
  /** The request is over. Calling it again does nothing. */
  release(): void;
}

/** What the servers serve. A request takes a lease once and sees that state to its end, whatever is swapped in meanwhile. */
export interface AgentStateHolder {
  /** What is served now, for what takes no time; `undefined` while there is nothing to serve. */
  current(): AgentState | undefined;
  /** `undefined` while there is nothing to serve. */
  lease(): StateLease | undefined;
  /** Serve `next` from now on, or nothing without one. Resolves when no request uses the state before it any more. */
  swap(next: AgentState | undefined): Promise<void>;
}

interface Generation {
  readonly state: AgentState;
  requests: number;
  whenIdle?: () => void;
}

export function createAgentStateHolder(): AgentStateHolder {
  let current: Generation | undefined;
  return {
    current: () => current?.state,
    lease: () => (current ? leaseOf(current) : undefined),
    swap: (next) => {
      const retired = current;
      current = next && { state: next, requests: 0 };
      if (!retired || retired.requests === 0) return Promise.resolve();
      return new Promise((resolve) => {
        retired.whenIdle = resolve;
      });
    },
  };
}

function leaseOf(generation: Generation): StateLease {
  generation.requests++;
  let isReleased = false;
  return {
    state: generation.state,
    release: () => {
      if (isReleased) return;
      isReleased = true;
      generation.requests--;
      if (generation.requests === 0) generation.whenIdle?.();
    },
  };
}
