import type { Logger } from '#kernel/ports/logger';
import { type CompileOptions, compileModel } from '../../compile/compile-model.ts';
import type { CompiledModel } from '../../model/compiled-model.ts';
import { type AgentDeclarations, customizeWith } from '../options/agent-declarations.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';
import type { NoCodeSource } from './no-code-source.ts';
import { createOpenedDataSources, type OpenedDataSources } from './opened-data-sources.ts';
import { runCustomization } from './run-customization.ts';

/** A model and the data sources it was compiled on. */
export interface BuiltModel {
  readonly model: CompiledModel;
  readonly sources: OpenedDataSources;
}

/** Compile the declarations on data sources that are open already. */
async function buildModel(
  sources: OpenedDataSources,
  declarations: AgentDeclarations,
  projectRoot: string,
  compileOptions: CompileOptions,
  noCode: NoCodeSource,
): Promise<BuiltModel> {
  const opened = await sources.get();
  const declared = await runCustomization(customizeWith(declarations.customizations), projectRoot);
  const added = await runCustomization(await noCode.load(opened, declared), projectRoot);
  return { model: compileModel(opened, [...declared, ...added], compileOptions), sources };
}

type ModelOptions = Pick<ParsedAgentOptions, 'useUnsafeActionEndpoint' | 'ignoreMissingSchemaElementErrors'>;

/** Look at the databases anew and compile on that. What was opened is closed again when it fails. */
export async function rebuildModel(
  declarations: AgentDeclarations,
  projectRoot: string,
  logger: Logger,
  options: ModelOptions,
  noCode: NoCodeSource,
): Promise<BuiltModel> {
  const { useUnsafeActionEndpoint, ignoreMissingSchemaElementErrors } = options;
  const passOver = ignoreMissingSchemaElementErrors ? (text: string) => logger.log('Warn', text) : undefined;
  const sources = createOpenedDataSources(declarations.factories, logger);
  try {
    return await buildModel(sources, declarations, projectRoot, { useUnsafeActionEndpoint, passOver }, noCode);
  } catch (error) {
    await sources.close();
    throw error;
  }
}
