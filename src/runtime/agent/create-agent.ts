import path from 'node:path';
import { writeWhenChanged } from '#kernel/files/write-when-changed';
import type { WantedPort } from '#kernel/ports/tcp';
import { aiSettings, aiTwice } from '../ai/ai-settings.ts';
import type { Agent } from '../customizer/agent.ts';
import { type CollectingAgent, calledAt } from '../customizer/declaration-collector.ts';
import type { AnySchema, SchemaShape } from '../customizer/schema-types.ts';
import type { DataSource, DataSourceFactory } from '../data-sources/interface/data-source.ts';
import { mountOnExpress } from '../surfaces/mounts/express.ts';
import { mountOnFastify } from '../surfaces/mounts/fastify.ts';
import { mountOnKoa } from '../surfaces/mounts/koa.ts';
import { mountOnNest } from '../surfaces/mounts/nest.ts';
import { renderTypings } from '../typings/render-typings.ts';
import { CallSite } from '../user-code/call-site.ts';
import { invalidOption } from '../user-code/refused-options.ts';
import type { AgentPorts } from './assemble/agent-ports.ts';
import type { AgentProgram } from './assemble/model-builder.ts';
import { writeModelFiles } from './assemble/model-publisher.ts';
import { selectCollections } from './assemble/select-collections.ts';
import { assembleAgent } from './assemble-agent.ts';
import type { EmbeddedAgent } from './embedded-agent.ts';
import { type AgentOptions, parseAgentOptions } from './options/agent-options.ts';
import { parseMcpOptions } from './options/mcp-options.ts';
import type { ServerPlace } from './serve/agent-serving.ts';

const defaultPort = 3351;
const loopback = '127.0.0.1';
const highestPort = 65_535;
const drainMs = 10_000;

interface EmbeddedPorts extends AgentPorts {
  /** Keep the memory small of a process that is the agent's own: one where it has a server of its own. */
  limitMemory(): void;
}

/** An agent that is not started yet. Throws `AGENT_OPTION_INVALID`. */
export function createAgentOn<S extends SchemaShape<S> = AnySchema>(
  ports: EmbeddedPorts,
  options: AgentOptions,
): EmbeddedAgent<S> {
  const parsed = parseAgentOptions(options);
  const declarations = createAgentDeclarations();
  const schemaFolder = path.resolve(ports.workingFolder, path.dirname(parsed.schemaPath));
  const { lifecycle, serving, gate } = assembleAgent(parsed, ports, {
    permissionFolder: path.join(schemaFolder, '.vendor-cloud'),
    selfTest: undefined,
  });
  const program: AgentProgram = {
    factories: declarations.factories,
    customize: (target: CollectingAgent) => {
      for (const customize of declarations.customizations) customize(target);
    },
  };
  const declare = (method: ConstructorParameters<typeof CallSite>[0], call: (target: Agent) => unknown) => {
    const site = new CallSite(method);
    declarations.customizations.push((target) => void call(target[calledAt](site)));
    return agent;
  };
  const agent: EmbeddedAgent = {
    addDataSource: (source, selection) => {
      const factory = factoryOf(source);
      declarations.factories.push(selection ? selectCollections(factory, selection, 'addDataSource') : factory);
      return agent;
    },
    customizeCollection: (name, customize) =>
      declare(agent.customizeCollection, (target) => target.customizeCollection(name, customize)),
    addChart: (name, definition) => declare(agent.addChart, (target) => target.addChart(name, definition)),
    addMask: (name, mask) => declare(agent.addMask, (target) => target.addMask(name, mask)),
    addAi: (provider, aiOptions = {}) => {
      if (declarations.hasAi) throw aiTwice();
      // What is wrong is said where it is called, not when the agent starts.
      aiSettings(provider, aiOptions);
      declarations.hasAi = true;
      return declare(agent.addAi, (target) => target.addAi(provider, aiOptions));
    },
    removeCollection: (...names) => declare(agent.removeCollection, (target) => target.removeCollection(...names)),
    use: (plugin, pluginOptions) => declare(agent.use, (target) => target.use(plugin, pluginOptions)),
    mountOnStandaloneServer: (port, host) => {
      declarations.server = ownServer(port, host, ports);
      return agent;
    },
    mountOnExpress: (host) => {
      mountOnExpress(host, gate);
      return agent;
    },
    mountOnFastify: (host) => {
      mountOnFastify(host, gate);
      return agent;
    },
    mountOnKoa: (host) => {
      mountOnKoa(host, gate);
      return agent;
    },
    mountOnNestJs: (host) => {
      mountOnNest(host, gate);
      return agent;
    },
    mountAiMcpServer: (mcpOptions = {}) => {
      serving.mountMcp(parseMcpOptions(mcpOptions, ports));
      return agent;
    },
    get standaloneServerPort() {
      return serving.listening.rest?.port;
    },
    start: () => lifecycle.start(program, { rest: declarations.server }),
    restart: () => lifecycle.restart(program),
    stop: () => lifecycle.stop(drainMs),
    updateTypesOnFileSystem: async (typingsPath, typingsMaxDepth) => {
      parseAgentOptions({ ...options, typingsPath, ...(typingsMaxDepth === undefined ? {} : { typingsMaxDepth }) });
      const { model } = await lifecycle.prepare(program);
      await writeWhenChanged(ports.fs, typingsPath, renderTypings(model.original, { maxDepth: typingsMaxDepth }));
    },
    generateSchemaOnly: async () =>
      void (await writeModelFiles((await lifecycle.prepare(program)).model, parsed, ports)),
  };
  // The schema only tightens the types of the declarations; at run time every schema is the same.
  return agent as unknown as EmbeddedAgent<S>;
}

function factoryOf(source: DataSourceFactory | DataSource): DataSourceFactory {
  if (typeof source === 'function') return source;
  const isOpen = typeof source === 'object' && source !== null && Array.isArray(source.collections);
  if (isOpen) return async () => source;
  throw invalidOption('addDataSource', 'it takes what createSqlDataSource or createMemoryDataSource returns');
}

/** A server that makes the process the agent's own. */
function ownServer(port: number | undefined, host: string | undefined, ports: EmbeddedPorts): ServerPlace {
  ports.limitMemory();
  return { host: host ?? loopback, port: standalonePort(port, ports.port) };
}

function standalonePort(port: number | undefined, configured: string | undefined): WantedPort {
  const wanted = port ?? (configured === undefined ? undefined : Number(configured));
  if (wanted === undefined) return { port: defaultPort, isExact: false };
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > highestPort) {
    throw invalidOption('port', `it must be a whole number from 0 to ${highestPort}`);
  }
  return { port: wanted, isExact: wanted !== 0 };
}

/** The declarations that an application has made on its agent so far. */
interface AgentDeclarations {
  readonly factories: DataSourceFactory[];
  readonly customizations: ((agent: CollectingAgent) => void)[];
  hasAi: boolean;
  /** The standalone server. */
  server: ServerPlace | undefined;
}

function createAgentDeclarations(): AgentDeclarations {
  return { factories: [], customizations: [], hasAi: false, server: undefined };
}
