import type { RestSettings } from '#contracts/rest-settings';
import type { SchemaDocument } from '#contracts/schema-document';
import { writeWhenChanged } from '#kernel/files/write-when-changed';
import type { Logger } from '#kernel/ports/logger';
import type { CompiledModel } from '../../model/compiled-model.ts';
import { buildSchemaDocument, renderSchemaDocument } from '../../schema/schema-document.ts';
import { schemaHash } from '../../schema/schema-hash.ts';
import { renderTypings } from '../../typings/render-typings.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';
import type { AgentPorts } from './agent-ports.ts';
import { createSchemaPublisher, readSchemaFile, type SchemaStore } from './schema-publisher.ts';

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
      await schemas.publish(withWebhookOrigins(await schemaToSend(model), options.rest));
    },
    close: schemas.close,
  };
}

/** Write the schema file, and the typings where a path for them was given. Resolves with the schema. */
export async function writeModelFiles(
  model: CompiledModel,
  options: ParsedAgentOptions,
  { fs, version }: AgentPorts,
): Promise<SchemaDocument> {
  const document = schemaOf(model, options, version);
  await writeWhenChanged(fs, options.schemaPath, renderSchemaDocument(document));
  if (options.typingsPath !== undefined) {
    const typings = renderTypings(model.original, { maxDepth: options.typingsMaxDepth });
    await writeWhenChanged(fs, options.typingsPath, typings);
  }
  return document;
}

/** What is sent tells the platform which origins its pages may call for the agent. The file is the same for every setting. */
export function withWebhookOrigins(
  document: SchemaDocument,
  { webhookOrigins = [] }: Pick<RestSettings, 'webhookOrigins'>,
): SchemaDocument {
  if (webhookOrigins.length === 0) return document;
  return { ...document, meta: { ...document.meta, webhook_origins: [...webhookOrigins] } };
}

/** The schema of a model, as the schema file has it. */
export function schemaOf(model: CompiledModel, options: ParsedAgentOptions, version: string): SchemaDocument {
  return buildSchemaDocument(model, { prefix: options.prefix, version, features: featuresOf(options) });
}

/** Another text whenever what is sent has anything else in it, beside the versions of programs. */
export function hashOfSchema(
  model: CompiledModel,
  { prefix }: Pick<ParsedAgentOptions, 'prefix'>,
  { webhookOrigins = [] }: Pick<RestSettings, 'webhookOrigins'>,
): string {
  return schemaHash(model, prefix, webhookOrigins);
}

function featuresOf({ experimental }: ParsedAgentOptions): Readonly<Record<string, string>> | undefined {
  const features = {
    ...(experimental.webhookCustomActions ? { 'webhook-custom-actions': '1.0.0' } : {}),
    ...(experimental.updateRecordCustomActions ? { 'update-record-actions': '1.0.0' } : {}),
  };
  return Object.keys(features).length > 0 ? features : undefined;
}
