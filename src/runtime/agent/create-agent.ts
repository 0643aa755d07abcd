import { writeWhenChanged } from '#kernel/files/write-when-changed';
import type { AnySchema, SchemaShape } from '../customizer/schema-types.ts';
import { mountOnExpress } from '../surfaces/mounts/express.ts';
import { mountOnFastify } from '../surfaces/mounts/fastify.ts';
import { mountOnKoa } from '../surfaces/mounts/koa.ts';
import { mountOnNest } from '../surfaces/mounts/nest.ts';
import { renderTypings } from '../typings/render-typings.ts';
import type { AgentPorts } from './assemble/agent-ports.ts';
import { writeModelFiles } from './assemble/model-files.ts';
import { selectCollections } from './assemble/select-collections.ts';
import type { EmbeddedAgent } from './embedded-agent.ts';
import { createAgentLifecycle } from './lifecycle/agent-lifecycle.ts';
import { createAgentDeclarations, type StandaloneMount } from './options/agent-declarations.ts';
import { type AgentOptions, invalidOption, parseAgentOptions } from './options/agent-options.ts';

const defaultPort = 3351;
const loopback = '127.0.0.1';
const highestPort = 65_535;

/** An agent that is not started yet. Throws `AGENT_OPTION_INVALID`. */
export function createAgentOn<S extends SchemaShape<S> = AnySchema>(
  ports: AgentPorts,
  options: AgentOptions,
): EmbeddedAgent<S> {
  const parsed = parseAgentOptions(options);
  const declarations = createAgentDeclarations();
  const lifecycle = createAgentLifecycle(parsed, declarations, ports);
  const agent: EmbeddedAgent = {
    addDataSource: (factory, selection) => {
      declarations.factories.push(selection ? selectCollections(factory, selection) : factory);
      return agent;
    },
    customizeCollection: (name, customize) => {
      declarations.customizations.push((recorder) => void recorder.customizeCollection(name, customize));
      return agent;
    },
    addChart: (name, definition) => {
      declarations.customizations.push((recorder) => void recorder.addChart(name, definition));
      return agent;
    },
    removeCollection: (...names) => {
      declarations.customizations.push((recorder) => void recorder.removeCollection(...names));
      return agent;
    },
    use: (plugin, pluginOptions) => {
      declarations.customizations.push((recorder) => void recorder.use(plugin, pluginOptions));
      return agent;
    },
    mountOnStandaloneServer: (port, host = loopback) => {
      declarations.mount = standaloneMount(port, host, ports.port);
      return agent;
    },
    mountOnExpress: (host) => {
      mountOnExpress(host, lifecycle.gate);
      return agent;
    },
    mountOnFastify: (host) => {
      mountOnFastify(host, lifecycle.gate);
      return agent;
    },
    mountOnKoa: (host) => {
      mountOnKoa(host, lifecycle.gate);
      return agent;
    },
    mountOnNestJs: (host) => {
      mountOnNest(host, lifecycle.gate);
      return agent;
    },
    get standaloneServerPort() {
      return lifecycle.port;
    },
    start: () => lifecycle.start(),
    restart: () => lifecycle.restart(),
    stop: () => lifecycle.stop(),
    updateTypesOnFileSystem: async (typingsPath, typingsMaxDepth) => {
      parseAgentOptions({ ...options, typingsPath, ...(typingsMaxDepth === undefined ? {} : { typingsMaxDepth }) });
      const { model } = await lifecycle.prepare();
      await writeWhenChanged(ports.fs, typingsPath, renderTypings(model.original, { maxDepth: typingsMaxDepth }));
    },
    generateSchemaOnly: async () => {
      const { model } = await lifecycle.prepare();
      await writeModelFiles(model, parsed, ports);
    },
  };
  // The schema only tightens the types of the declarations; at run time every schema is the same.
  return agent as unknown as EmbeddedAgent<S>;
}

function standaloneMount(port: number | undefined, host: string, configured: string | undefined): StandaloneMount {
  const wanted = port ?? (configured === undefined ? undefined : Number(configured));
  if (wanted === undefined) return { host, port: { port: defaultPort, isExact: false } };
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > highestPort) {
    throw invalidOption('port', `it must be a whole number from 0 to ${highestPort}`);
  }
  return { host, port: { port: wanted, isExact: wanted !== 0 } };
}
