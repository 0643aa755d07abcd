import type { SchemaDocument } from '#contracts/schema-document';
import { writeWhenChanged } from '#kernel/files/write-when-changed';
import type { CompiledModel } from '../../model/compiled-model.ts';
import { buildSchemaDocument, renderSchemaDocument } from '../../schema/schema-document.ts';
import { renderTypings } from '../../typings/render-typings.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';
import type { AgentPorts } from './agent-ports.ts';

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

/** The schema that the agent sends to the platform. */
export function schemaOf(model: CompiledModel, options: ParsedAgentOptions, version: string): SchemaDocument {
  return buildSchemaDocument(model, { prefix: options.prefix, version, features: featuresOf(options) });
}

function featuresOf({ experimental }: ParsedAgentOptions): Readonly<Record<string, string>> | undefined {
  const features = {
    ...(experimental.webhookCustomActions ? { 'webhook-custom-actions': '1.0.0' } : {}),
    ...(experimental.updateRecordCustomActions ? { 'update-record-actions': '1.0.0' } : {}),
  };
  return Object.keys(features).length > 0 ? features : undefined;
}
