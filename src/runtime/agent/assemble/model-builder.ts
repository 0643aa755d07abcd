import type { BuiltDashboard } from '#contracts/dashboards';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import { checkDashboards } from '../../charts/check-dashboards.ts';
import { compileModel } from '../../compile/compile-model.ts';
import type { Declaration } from '../../customizer/declaration.ts';
import { createDeclarationCollector } from '../../customizer/declaration-collector.ts';
import type { DataSourceFactory } from '../../data-sources/interface/data-source.ts';
import type { CompiledModel } from '../../model/compiled-model.ts';
import type { CollectionSchema } from '../../query/collection-schema.ts';
import { customizationError } from '../../user-code/customization-error.ts';
import { withDeadline } from '../../user-code/deadline.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';
import type { NoCodeSource } from './no-code-source.ts';
import { createOpenedDataSources, type OpenedDataSources } from './opened-data-sources.ts';
import { createSelfTest, type SelfTestOptions } from './self-test.ts';

/** The input of a model: databases, and the code that customizes them. */
export interface AgentProgram {
  readonly factories: readonly DataSourceFactory[];
  /** A function that takes the `Agent`; checked, because user code may export anything. */
  readonly customize: unknown;
  /** Leave out whatever names absent elements, and test nothing. Default false. */
  readonly isLenient?: boolean;
  readonly dashboards?: readonly BuiltDashboard[];
  /** Number of the version, where a host serves it. */
  readonly codeVersion?: number | undefined;
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
 * @param kept Data sources to compile on. Without them the databases are opened and looked at again, and closed again when the
 * model cannot be built.
 */
export type BuildModel = (program: AgentProgram, kept?: OpenedDataSources) => Promise<BuiltModel>;

export function createModelBuilder(options: ModelBuilderOptions): BuildModel {
  const { noCode, projectRoot, logger, useUnsafeActionEndpoint } = options;
  const selfTest = options.selfTest && createSelfTest(options.selfTest, projectRoot);
  const logAbsence = (text: string) => logger.log('Warn', text);
  const passOver = options.ignoreMissingSchemaElementErrors ? logAbsence : undefined;
  return async ({ factories, customize, isLenient = false, dashboards = [], codeVersion }, kept) => {
    const sources = kept ?? createOpenedDataSources(factories, logger);
    try {
      const opened = await sources.get();
      const collections = opened.flatMap((source) => source.collections);
      const declared = await runCustomization(customize, projectRoot, collections);
      const added = await runCustomization(await noCode.load(opened, declared), projectRoot, collections);
      const compiled = compileModel(opened, [...declared, ...added], {
        useUnsafeActionEndpoint,
        passOver: isLenient ? logAbsence : passOver,
      });
      const checked = checkDashboards(compiled, dashboards, projectRoot, isLenient ? logAbsence : passOver);
      const replicated = opened.flatMap((source) => source.replicas ?? []);
      const model = { ...compiled, dashboards: checked, replicated, codeVersion };
      if (!isLenient) await selfTest?.(model);
      return { model, sources };
    } catch (error) {
      if (!kept) await sources.close();
      throw error;
    }
  };
}

const deadlineMs = 10_000;

/**
 * Run the customization code and collect what it declares; plugins see the collections. Rejects with `CUSTOMIZATION_NOT_A_FUNCTION`,
 * `CUSTOMIZATION_FAILED` or `CUSTOMIZATION_UNRESPONSIVE`.
 */
async function runCustomization(
  customize: unknown,
  projectRoot: string | undefined,
  collections: readonly CollectionSchema[],
): Promise<readonly Declaration[]> {
  if (typeof customize !== 'function') throw notAFunction(customize);
  const collector = createDeclarationCollector(collections);
  const run = async () => {
    await customize(collector.agent);
    return collector.finish();
  };
  try {
    return await withDeadline('The customization code', deadlineMs, run());
  } catch (error) {
    throw customizationError(error, 'The customization code', projectRoot);
  }
}

function notAFunction(customize: unknown): CloudError {
  const kind = customize === null ? 'null' : typeof customize;
  const found = customize === undefined ? 'has no default export' : `exports ${kind} as default`;
  return cloudError(
    'CUSTOMIZATION_NOT_A_FUNCTION',
    `The entry of the project ${found}, where a function is needed.`,
    'Write: export default function customize(agent) { … }',
  );
}
