import { type MaybePromise, whenReady } from '#kernel/async/maybe-promise';
import type { CloudError } from '#kernel/errors/cloud-error';
import type { ActionService } from '../../actions/action-service.ts';
import type { ChartService } from '../../charts/chart-service.ts';
import type { CompiledModel } from '../../model/compiled-model.ts';
import type { Authoriser, Subject } from '../../permissions/authoriser.ts';
import type { FieldRules } from '../../permissions/field-rules.ts';
import type { RecordService } from '../../records/request/record-service.ts';
import type { VisibleSchemas } from '../../schema/visible-schemas.ts';
import type { AiAccess } from './ai-access.ts';

/** Everything that a request works with: a model and its services. Immutable: a reload makes a new one. */
export interface AgentState {
  readonly model: CompiledModel;
  readonly recordService: RecordService;
  readonly actions: ActionService;
  readonly charts: ChartService;
  readonly authoriser: Authoriser;
  readonly schemas: VisibleSchemas;
  /** `undefined` where the agent has no provider of a model. */
  readonly ai: AiAccess | undefined;
  /** The services for people who are restricted on fields by these rules. */
  under(rules: FieldRules): AgentState;
  /** The services for programs that act for people. */
  forPrograms(): AgentState;
}

/**
 * The state to answer somebody with: the one that is served, unless a program acts for them or fields are closed to them. Everything of their request uses it,
 * on every surface.
 */
export function stateFor(served: AgentState, caller: Subject): MaybePromise<AgentState> {
  const whole = caller.client ? served.forPrograms() : served;
  const restrictions = whole.authoriser.fieldRulesOf(caller);
  if (restrictions === undefined) return whole;
  return whenReady(restrictions, (rules) => (rules ? whole.under(rules) : whole));
}

/** A state that one request uses. */
export interface StateInUse {
  readonly state: AgentState;
  /** To be called when the request is over; the second call does nothing. */
  release(): void;
}

/**
 * Holds the state that the servers serve. A request acquires it once and uses it to its end, also when another one is
 * swapped in meanwhile.
 */
export interface AgentStateHolder {
  /** The state served now, for a synchronous look; `undefined` while there is nothing to serve. */
  current(): AgentState | undefined;
  /** `undefined` while there is nothing to serve. */
  acquire(): StateInUse | undefined;
  /** Serve `next` from now on, or nothing without one. Resolves when no request uses the state before it any more. */
  swap(next: AgentState | undefined): Promise<void>;
  /** The reason why there is nothing to serve, where it is known. */
  absence(): CloudError | undefined;
  /** Say why there is nothing to serve, until there is. */
  explainAbsence(reason: CloudError): void;
}

interface Generation {
  readonly state: AgentState;
  requests: number;
  whenIdle?: () => void;
}

export function createAgentStateHolder(): AgentStateHolder {
  let current: Generation | undefined;
  let absence: CloudError | undefined;
  return {
    current: () => current?.state,
    acquire: () => (current ? acquired(current) : undefined),
    swap: (next) => {
      const retired = current;
      current = next && { state: next, requests: 0 };
      if (next) absence = undefined;
      if (!retired || retired.requests === 0) return Promise.resolve();
      return new Promise((resolve) => {
        retired.whenIdle = resolve;
      });
    },
    absence: () => absence,
    explainAbsence: (reason) => {
      absence = reason;
    },
  };
}

function acquired(generation: Generation): StateInUse {
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
