import type { Bench } from './bench-report.ts';

interface BenchEntry {
  readonly summary: string;
  load(): Promise<Bench>;
}

/** Every bench, one folder each; a bench is loaded when it is asked for. */
export const benches: Readonly<Record<string, BenchEntry>> = {
  archive: {
    summary: 'the archive of an audit log of ten million rows: written, verified, and searched by record',
    load: async () => (await import('./audit/archive.ts')).benchArchive,
  },
  audit: {
    summary: 'pages, reports, exports and verification of an audit log of ten million rows',
    load: async () => (await import('./audit/audit.ts')).benchAudit,
  },
  compile: {
    summary: 'the model of 100 and 1,000 tables with as many customizations',
    load: async () => (await import('./compile/compile.ts')).benchCompile,
  },
  console: {
    summary:
      'the work of the console until a list is painted, its bytes and its heap, beside AdminJS on the same database',
    load: async () => (await import('./console/console.ts')).benchConsole,
  },
  customized: {
    summary: 'the speed of lists, filters and groups through customizations as a share of hand-written statements',
    load: async () => (await import('./customized/customized.ts')).benchCustomized,
  },
  deploy: {
    summary: 'from pushing a version to two hosts serving it, while people use them',
    load: async () => (await import('./deploy/deploy.ts')).benchDeploy,
  },
  events: {
    summary: 'from a change of rights to the last acknowledgement of 1,000 connected agents',
    load: async () => (await import('./events/events.ts')).benchEvents,
  },
  flatten: {
    summary:
      'filters and groups on paths into JSON documents, at a million rows, as a share of hand-written statements',
    load: async () => (await import('./flatten/flatten.ts')).benchFlatten,
  },
  hostile: {
    summary:
      'how long honest clients of an agent and of a platform wait beside floods of others, over the wait without',
    load: async () => (await import('./hostile/hostile.ts')).benchHostile,
  },
  introspection: {
    summary: 'what it takes to start on a PostgreSQL database of 100, 1,000 and 5,000 tables',
    load: async () => (await import('./introspection/introspection.ts')).benchIntrospection,
  },
  mcp: {
    summary: 'a list through MCP as a share of the same one through the REST API, and the size of the list of tools',
    load: async () => (await import('./mcp/mcp.ts')).benchMcp,
  },
  memory: {
    summary: 'memory at rest: hosts with one worker and two, a platform with a thousand agents, and a session of dev',
    load: async () => (await import('./memory/memory.ts')).benchMemory,
  },
  mongo: {
    summary: 'the speed of the MongoDB data source as a share of hand-written pipelines, on a server or in memory',
    load: async () => (await import('./mongo/mongo.ts')).benchMongo,
  },
  push: {
    summary: 'from the command to its end: a push of new code with all checks, and one of code that is live already',
    load: async () => (await import('./push/push.ts')).benchPush,
  },
  query: {
    summary: 'the speed of a data source as a share of hand-written prepared statements',
    load: async () => (await import('./query/query.ts')).benchQuery,
  },
  reload: {
    summary: 'from saving a file of a served project to reading the new value over HTTP',
    load: async () => (await import('./reload/reload.ts')).benchReload,
  },
  replicas: {
    summary: 'lists a second for each second of the processor of an agent, with two replicas over without',
    load: async () => (await import('./replicas/replicas.ts')).benchReplicas,
  },
  rest: {
    summary: 'the REST API in production, as a share of a bare server that sends the same bodies',
    load: async () => (await import('./rest/rest.ts')).benchRest,
  },
  soak: {
    summary: 'ten minutes of mixed load with slow and broken clients, killed connections and saves',
    load: async () => (await import('./soak/soak.ts')).benchSoak,
  },
  startup: {
    summary: 'what the start of the command line costs, beside a bare program on the same framework',
    load: async () => (await import('./startup/startup.ts')).benchStartup,
  },
  tables: {
    summary: 'starts, memory, lists and reloads on 10,000 tables, over those on 1,000',
    load: async () => (await import('./tables/tables.ts')).benchTables,
  },
  typings: {
    summary: 'what generated typings of 100 and 1,000 tables cost the compiler and the editor',
    load: async () => (await import('./typings/typings.ts')).benchTypings,
  },
};
