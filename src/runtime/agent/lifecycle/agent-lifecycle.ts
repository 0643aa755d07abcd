import type { SchemaDocument } from '#contracts/schema-document';
import { createTaskQueue } from '#kernel/async/task-queue';
import type { Logger } from '#kernel/ports/logger';
import type { CompiledModel } from '../../model/compiled-model.ts';
import type { MountGate } from '../../surfaces/mounts/mount-gate.ts';
import type { AgentPorts } from '../assemble/agent-ports.ts';
import { createAgentState } from '../assemble/create-agent-state.ts';
import { type BuiltModel, rebuildModel } from '../assemble/model-builder.ts';
import { schemaOf, writeModelFiles } from '../assemble/model-files.ts';
import { createNoCodeSource } from '../assemble/no-code-source.ts';
import { connectToPlatform, type PlatformConnection } from '../assemble/platform-connection.ts';
import { createRestServing } from '../assemble/rest-serving.ts';
import { readSchemaFile } from '../assemble/schema-file.ts';
import type { AgentDeclarations } from '../options/agent-declarations.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';
import { createLevelLogger } from '../options/log-lines.ts';

const drainMs = 10_000;

export interface AgentLifecycle {
  start(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Model and sources for the files that are written without starting; kept until `stop`. */
  prepare(): Promise<BuiltModel>;
  readonly port: number | undefined;
  /** Where applications that the agent is mounted on hand over their requests. */
  readonly gate: MountGate;
}

/** Starts, restarts and stops an embedded agent, one call after the other. */
export function createAgentLifecycle(
  options: ParsedAgentOptions,
  declarations: AgentDeclarations,
  ports: AgentPorts,
): AgentLifecycle {
  const logger = createLevelLogger(options.logger ?? ports.log, options.loggerLevel, ports.log);
  const platform = connectToPlatform(options, ports, logger);
  const { authoriser, approvals } = platform;
  const noCode = createNoCodeSource(options, platform, logger);
  const serving = createRestServing(options, ports, platform, logger);
  const report = (message: string, error: unknown) => logger.log('Error', message, { error });
  let built: BuiltModel | undefined;
  let isStarted = false;
  /** Done when the models that were replaced so far are closed. */
  let whenRetired: Promise<unknown> = Promise.resolve();
  const inTurn = createTaskQueue();

  const prepare = async () => {
    built ??= await rebuildModel(declarations, ports.workingFolder, logger, options, noCode);
    return built;
  };
  /** Publish the schema, then serve. */
  const serve = async (next: BuiltModel) => {
    await publishSchema(next.model, options, ports, platform, logger);
    return serving.swap(createAgentState(next.model, authoriser, approvals, report));
  };
  const start = async () => {
    if (isStarted) return;
    try {
      await serve(await prepare());
      platform.follow(() => void noCodeChanged());
      if (declarations.mount) await serving.listen(declarations.mount);
      isStarted = true;
    } catch (error) {
      await close();
      throw error;
    }
  };
  /** `whenClosed` is over when the requests that began with the model before have ended and it is closed. */
  const replace = async () => {
    if (!isStarted) return { whenClosed: undefined };
    const next = await rebuildModel(declarations, ports.workingFolder, logger, options, noCode);
    const { whenUnused } = await serve(next).catch(async (error: unknown) => {
      await next.sources.close();
      throw error;
    });
    const retired = built;
    built = next;
    const whenClosed = whenUnused.then(() => retired?.sources.close());
    whenRetired = Promise.allSettled([whenRetired, whenClosed]);
    return { whenClosed };
  };
  const noCodeChanged = async () => {
    if (noCode.isOn) await inTurn(replace).catch((error) => report('The agent could not restart.', error));
  };
  const close = async () => {
    await serving.stop(drainMs);
    await whenRetired;
    await built?.sources.close();
    await platform.close();
    built = undefined;
    isStarted = false;
  };

  return {
    prepare: () => inTurn(prepare),
    start: () => inTurn(start),
    restart: async () => {
      const { whenClosed } = await inTurn(replace);
      // Outside its turn: a request that lasts must not keep the agent from stopping.
      await whenClosed;
    },
    stop: () => inTurn(close),
    get port() {
      return serving.port;
    },
    gate: serving.gate,
  };
}

/** Bring the schema file and the platform up to date; production takes the file as it is. */
async function publishSchema(
  model: CompiledModel,
  options: ParsedAgentOptions,
  ports: AgentPorts,
  platform: PlatformConnection,
  logger: Logger,
): Promise<void> {
  if (options.skipSchemaUpdate) {
    logger.log('Warn', 'The schema is neither written nor sent, as skipSchemaUpdate says.');
    return;
  }
  await platform.publish(await schemaToPublish(model, options, ports));
}

async function schemaToPublish(
  model: CompiledModel,
  options: ParsedAgentOptions,
  ports: AgentPorts,
): Promise<SchemaDocument> {
  if (!options.isProduction) return writeModelFiles(model, options, ports);
  const { webhookCustomActions, updateRecordCustomActions } = options.experimental;
  // What is made on the platform is in no file that was shipped with the code.
  return webhookCustomActions || updateRecordCustomActions
    ? schemaOf(model, options, ports.version)
    : readSchemaFile(ports.fs, options.schemaPath);
}
