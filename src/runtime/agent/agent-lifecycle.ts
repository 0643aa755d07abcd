import { createSessionTokens } from '../http/session-token.ts';
import { createAuthoriser } from '../permissions/create-authoriser.ts';
import { createRecordService } from '../plan/create-record-service.ts';
import type { AgentDeclarations } from './agent-declarations.ts';
import { invalidOption, type ParsedAgentOptions } from './agent-options.ts';
import type { AgentPorts } from './agent-ports.ts';
import { type ListeningServer, listenRest } from './agent-servers.ts';
import { createAgentStateHolder } from './agent-state.ts';
import { createLevelLogger } from './log-lines.ts';
import { type BuiltModel, rebuildModel } from './model-builder.ts';
import { writeModelFiles } from './model-files.ts';
import { publishSchema, readSchemaFile } from './schema-file.ts';
import { createTaskQueue } from './task-queue.ts';

const drainMs = 10_000;
const localPlatform = 'http://127.0.0.1:3310';

export interface AgentLifecycle {
  start(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Model and sources for the files that are written without starting; kept until `stop`. */
  prepare(): Promise<BuiltModel>;
  readonly port: number | undefined;
}

/** Starts, restarts and stops an embedded agent, one call after the other. */
export function createAgentLifecycle(
  options: ParsedAgentOptions,
  declarations: AgentDeclarations,
  ports: AgentPorts,
): AgentLifecycle {
  const logger = createLevelLogger(options.logger ?? ports.log, options.loggerLevel);
  const platform = ports.connectPlatform(serverUrlOf(options, ports), options.envSecret);
  const authoriser = createAuthoriser(platform, ports.clock);
  const tokens = createSessionTokens(options.authSecret, ports.clock);
  const states = createAgentStateHolder();
  const report = (message: string, error: unknown) => logger.log('Error', message, { error });
  let built: BuiltModel | undefined;
  let server: ListeningServer | undefined;
  let isStarted = false;
  const inTurn = createTaskQueue();

  const prepare = async () => {
    built ??= await rebuildModel(declarations, ports.workingFolder, logger);
    return built;
  };
  /** Bring the files and the platform up to date, then serve; resolves when nothing uses the model before any more. */
  const serve = async (next: BuiltModel): Promise<{ readonly whenRetired: Promise<void> }> => {
    const document = options.isProduction
      ? await readSchemaFile(ports.fs, options.schemaPath)
      : await writeModelFiles(next.model, options, ports);
    await publishSchema(platform, document);
    const recordService = createRecordService(next.model, authoriser, report);
    return { whenRetired: states.swap({ model: next.model, recordService, authoriser }) };
  };
  const listen = async () => {
    if (!declarations.mount) return;
    const { prefix, allowedOrigins, limitExportSize } = options;
    const exportLimit = limitExportSize ?? undefined;
    const { random } = ports;
    const rest = { prefix, exportLimit, allowedOrigins: new Set(allowedOrigins), states, tokens, logger, random };
    server = await listenRest({ ...rest, ...declarations.mount, describePortOwner: ports.describePortOwner });
    logger.log('Info', `The agent listens on ${server.url}`);
  };
  const close = async () => {
    await server?.stop(drainMs);
    await built?.sources.close();
    await platform.close();
    server = undefined;
    built = undefined;
    isStarted = false;
  };

  return {
    prepare: () => inTurn(prepare),
    start: () =>
      inTurn(async () => {
        if (isStarted) return;
        try {
          await serve(await prepare());
          await listen();
          isStarted = true;
        } catch (error) {
          await close();
          throw error;
        }
      }),
    restart: () =>
      inTurn(async () => {
        const next = await rebuildModel(declarations, ports.workingFolder, logger);
        const { whenRetired } = await serve(next).catch(async (error: unknown) => {
          await next.sources.close();
          throw error;
        });
        const retired = built;
        built = next;
        await whenRetired;
        await retired?.sources.close();
      }),
    stop: () => inTurn(close),
    get port() {
      return server?.port;
    },
  };
}

function serverUrlOf({ serverUrl, isProduction }: ParsedAgentOptions, ports: AgentPorts): string {
  const configured = serverUrl ?? ports.serverUrl;
  if (configured === undefined && isProduction) {
    throw invalidOption('serverUrl', 'production needs the address of a platform, here or in SERVICE_SERVER_URL');
  }
  return configured ?? localPlatform;
}
