import type { Logger } from '#kernel/ports/logger';
import { compileModel } from '../../compile/compile-model.ts';
import type { DataSourceFactory } from '../../data-sources/interface/data-source.ts';
import type { CompiledModel } from '../../model/compiled-model.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';
import type { NoCodeSource } from './no-code-source.ts';
import { createOpenedDataSources, type OpenedDataSources } from './opened-data-sources.ts';
import { runCustomization } from './run-customization.ts';
import { createSelfTest, type SelfTestOptions } from './self-test.ts';

/** The input of a model: databases, and the code that customizes them. */
export interface AgentProgram {
  readonly factories: readonly DataSourceFactory[];
  /** A function that takes the `Agent`; checked, because user code may export anything. */
  readonly customize: unknown;
  /** Leave out whatever names absent elements, and test nothing. Default false. */
  readonly isLenient?: boolean;
}

/** A model and the data sources it was compiled on. */
export interface BuiltModel {
  readonly model: CompiledModel;
  readonly sources: OpenedDataSources;
}

export interface ModelBuilderOptions
  extends Pick<ParsedAgentOptions, 'useUnsafeActionEndpoint' | 'ignoreMissingSchemaElementErrors'> {
  readonly noCode: NoCodeSource;
  /** Folder of the user's code, to say where in it an error came from. */
  readonly projectRoot: string;
  /** Without it, models are built without a self-test. */
  readonly selfTest: SelfTestOptions | undefined;
  readonly logger: Logger;
}

/**
 * Builds models from programs.
 *
 * @param kept Data sources to compile on. Without them the databases are opened and looked at anew, and closed again when the
 * model cannot be built.
 */
export type BuildModel = (program: AgentProgram, kept?: OpenedDataSources) => Promise<BuiltModel>;

export function createModelBuilder(options: ModelBuilderOptions): BuildModel {
  const { noCode, projectRoot, logger, useUnsafeActionEndpoint } = options;
  const selfTest = options.selfTest && createSelfTest(options.selfTest, projectRoot);
  const logAbsence = (text: string) => logger.log('Warn', text);
  const passOver = options.ignoreMissingSchemaElementErrors ? logAbsence : undefined;
  return async ({ factories, customize, isLenient = false }, kept) => {
    const sources = kept ?? createOpenedDataSources(factories, logger);
    try {
      const opened = await sources.get();
      const collections = opened.flatMap((source) => source.collections);
      const declared = await runCustomization(customize, projectRoot, collections);
      const added = await runCustomization(await noCode.load(opened, declared), projectRoot, collections);
      const model = compileModel(opened, [...declared, ...added], {
        useUnsafeActionEndpoint,
        passOver: isLenient ? logAbsence : passOver,
      });
      if (!isLenient) await selfTest?.(model);
      return { model, sources };
    } catch (error) {
      if (!kept) await sources.close();
      throw error;
    }
  };
}
