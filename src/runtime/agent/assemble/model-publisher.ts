import type { Logger } from '#kernel/ports/logger';
import type { CompiledModel } from '../../model/compiled-model.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';
import type { AgentPorts } from './agent-ports.ts';
import { schemaOf, writeModelFiles } from './model-files.ts';
import { readSchemaFile, type SchemaStore } from './schema-file.ts';
import { createSchemaPublisher } from './schema-publisher.ts';

/** Tells of a model before it is served. */
export interface ModelPublisher {
  /**
   * Bring the schema file, the typings and the platform up to date; production takes the schema file as it is. Rejects with
   * `AGENT_SCHEMA_MISSING`, or when the platform refuses the schema.
   */
  publish(model: CompiledModel): Promise<void>;
  /** Send nothing any more. */
  close(): void;
}

export function createModelPublisher(
  options: ParsedAgentOptions,
  ports: AgentPorts,
  platform: SchemaStore,
  logger: Logger,
): ModelPublisher {
  const schemas = createSchemaPublisher(platform, logger);
  const { webhookCustomActions, updateRecordCustomActions } = options.experimental;
  const schemaToSend = (model: CompiledModel) => {
    if (!options.isProduction) return writeModelFiles(model, options, ports);
    // The schema file that was shipped with the code has no actions that are made on the platform.
    return webhookCustomActions || updateRecordCustomActions
      ? schemaOf(model, options, ports.version)
      : readSchemaFile(ports.fs, options.schemaPath);
  };
  return {
    publish: async (model) => {
      if (options.skipSchemaUpdate) {
        logger.log('Warn', 'The schema is neither written nor sent, as skipSchemaUpdate says.');
        return;
      }
      await schemas.publish(await schemaToSend(model));
    },
    close: schemas.close,
  };
}
