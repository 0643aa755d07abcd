import type { CompiledModel } from '../../model/compiled-model.ts';
import type { AgentState, AgentStateHolder } from '../../surfaces/request/agent-state.ts';
import type { AgentProgram, BuildModel, BuiltModel } from '../assemble/model-builder.ts';
import type { ModelPublisher } from '../assemble/model-publisher.ts';

/** The steps that a model goes through before it serves requests. */
export interface LoaderParts {
  readonly build: BuildModel;
  readonly publisher: ModelPublisher;
  readonly stateOf: (model: CompiledModel) => AgentState;
  readonly states: AgentStateHolder;
}

export interface LoadedModel extends BuiltModel {
  /** Resolves when no request uses the model before any more, and the databases that only it used are closed. */
  readonly whenReplaced: Promise<void>;
}

/** Puts one model after the other into service. Its calls must not overlap. */
export interface ModelLoader {
  /** The model in service. */
  readonly loaded: BuiltModel | undefined;
  /** Build a model without serving it; the first load takes it. With a model in service, that one. */
  prepare(program: AgentProgram): Promise<BuiltModel>;
  /**
   * Build a model, publish its schema, and swap: new requests meet it, requests in flight end on the one before. When anything
   * of it fails, the model before stays in service.
   *
   * @param sources Whether the open databases are kept, or opened and looked at again.
   */
  load(program: AgentProgram, sources: 'keep' | 'reopen'): Promise<LoadedModel>;
  /** Load the program of the model in service again, on the same databases. */
  reload(): Promise<void>;
  /** Take the model out of service. Resolves when no request uses it any more. */
  retire(): Promise<void>;
  /** Close the databases. Resolves when no request uses any model either. */
  close(): Promise<void>;
}

export function createModelLoader({ build, publisher, stateOf, states }: LoaderParts): ModelLoader {
  let prepared: BuiltModel | undefined;
  let loaded: BuiltModel | undefined;
  let loadedProgram: AgentProgram | undefined;
  /** Resolves when every model that was replaced so far is closed. */
  let whenAllReplaced: Promise<unknown> = Promise.resolve();

  const load = async (program: AgentProgram, sources: 'keep' | 'reopen'): Promise<LoadedModel> => {
    const before = loaded;
    const next = prepared ?? (await build(program, sources === 'keep' ? before?.sources : undefined));
    prepared = undefined;
    const hasOwnSources = next.sources !== before?.sources;
    await publisher.publish(next.model).catch(async (error: unknown) => {
      if (hasOwnSources) await next.sources.close();
      throw error;
    });
    loaded = next;
    loadedProgram = program;
    const whenUnused = states.swap(stateOf(next.model));
    const whenReplaced = hasOwnSources ? whenUnused.then(() => before?.sources.close()) : whenUnused;
    whenAllReplaced = Promise.allSettled([whenAllReplaced, whenReplaced]);
    return { ...next, whenReplaced };
  };

  return {
    get loaded() {
      return loaded;
    },
    prepare: async (program) => {
      if (loaded) return loaded;
      prepared ??= await build(program);
      return prepared;
    },
    load,
    reload: async () => {
      if (loadedProgram) await load(loadedProgram, 'keep');
    },
    retire: () => states.swap(undefined),
    close: async () => {
      await whenAllReplaced;
      await Promise.all([prepared?.sources.close(), loaded?.sources.close()]);
      prepared = undefined;
      loaded = undefined;
      loadedProgram = undefined;
    },
  };
}
