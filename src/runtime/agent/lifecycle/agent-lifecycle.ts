import { createTaskQueue } from '#kernel/async/task-queue';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { ActivityOutbox } from '../../activity/activity-outbox.ts';
import type { AgentProgram, BuiltModel } from '../assemble/model-builder.ts';
import type { AgentServers, AgentServing, ServerPlace } from '../serve/agent-serving.ts';
import type { LoadedModel, ModelLoader } from './model-loader.ts';

/** The parts that a life cycle sets in motion. */
export interface LifecycleParts {
  readonly loader: ModelLoader;
  readonly serving: AgentServing;
  readonly activities: ActivityOutbox | undefined;
  /** Learn about changes on the platform from now on. Calling it again does nothing. */
  readonly followChanges: (onCustomizations: () => void) => void;
  /** Whether the agent takes customizations that are made on the platform. */
  readonly takesCustomizations: boolean;
  /** Throws `AGENT_OPTION_INVALID` where an agent that starts would have no platform. */
  readonly requirePlatform: () => void;
  /** Write down what is known of the platform, and close the connections to it. */
  readonly leavePlatform: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Loads, serves and stops an agent. Calls are carried out one after the other. */
export interface AgentLifecycle {
  /** The model in service. */
  readonly loaded: BuiltModel | undefined;
  /** Build a model without serving it; the first load takes it. With a model in service, that one. */
  prepare(program: AgentProgram): Promise<BuiltModel>;
  /** Put another model into service. When it fails, the model before stays in service, on the databases it has. */
  load(program: AgentProgram, sources: 'keep' | 'reopen'): Promise<BuiltModel>;
  /** Report what people do, answer requests, and learn about changes on the platform. Does nothing when the agent serves already. */
  serve(servers: AgentServers<ServerPlace>): Promise<void>;
  /** `load` and `serve` in one turn; closes everything again when either fails. Does nothing when the agent serves already. */
  start(program: AgentProgram, servers: AgentServers<ServerPlace>): Promise<void>;
  /**
   * `load` on databases that are opened and looked at again; does nothing unless the agent serves. Resolves when no request
   * uses the model before any more.
   */
  restart(program: AgentProgram): Promise<void>;
  /** Take no more requests, let those in flight end for `drainMs` at most, then close everything. The agent may start again. */
  stop(drainMs: number): Promise<void>;
}

export function createAgentLifecycle(parts: LifecycleParts): AgentLifecycle {
  const { loader, serving, activities, clock, logger } = parts;
  const inTurn = createTaskQueue();
  let isServing = false;

  const reload = () =>
    inTurn(loader.reload).catch((error: unknown) => {
      logger.log('Error', 'The customizations of the platform could not be loaded.', { error });
    });
  const serve = async (servers: AgentServers<ServerPlace>) => {
    if (isServing) return;
    activities?.start();
    await serving.open(servers);
    parts.followChanges(() => {
      if (parts.takesCustomizations) void reload();
    });
    isServing = true;
  };
  const close = async (drainedAtMs: number) => {
    const remainingMs = () => Math.max(0, drainedAtMs - clock.monotonicMs());
    await serving.stop(remainingMs());
    // A request is over, and its outcome reported, a moment after its connection.
    await loader.retire();
    await activities?.stop(remainingMs());
    await loader.close();
    await parts.leavePlatform();
    isServing = false;
  };

  return {
    get loaded() {
      return loader.loaded;
    },
    prepare: (program) => inTurn(() => loader.prepare(program)),
    load: (program, sources) => inTurn(() => loader.load(program, sources)),
    serve: (servers) => inTurn(() => serve(servers)),
    start: (program, servers) =>
      inTurn(async () => {
        if (isServing) return;
        parts.requirePlatform();
        try {
          await loader.load(program, 'reopen');
          await serve(servers);
        } catch (error) {
          await close(clock.monotonicMs());
          throw error;
        }
      }),
    restart: async (program) => {
      const restarted: LoadedModel | undefined = await inTurn(async () =>
        isServing ? loader.load(program, 'reopen') : undefined,
      );
      // Outside its turn: a request that lasts must not keep the agent from stopping.
      await restarted?.whenReplaced;
    },
    stop: async (drainMs) => {
      const drainedAtMs = clock.monotonicMs() + drainMs;
      // Stop at once: a running load must not use up the time that requests have to end.
      await serving.stop(drainMs);
      await inTurn(() => close(drainedAtMs));
    },
  };
}
