import { setTimeout as pause } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { reportOfError } from '#kernel/errors/error-report';
import { loggedValue, saidByErrors } from '#kernel/errors/logged-value';
import { reviveError } from '#kernel/errors/revive-error';
import { type AgentRuntime, customizationError, type LogFunction, prepareEvaluation, refuseExit } from '#runtime/index';
import { type AgentWorkerPorts, createCodeInService } from './code-in-service.ts';
import { noteIntrinsics } from './harmed-intrinsics.ts';
import { TableWatch } from './table-watch.ts';
import { tellWhatRuns } from './tell-what-runs.ts';
import type {
  AgentLogLine,
  AgentWorkerData,
  HashedSchema,
  WorkerCalls,
  WorkerDiagnosis,
  WorkerMessage,
  WorkerMethod,
  WorkerRequest,
} from './worker-protocol.ts';

/** Milliseconds between two beats of the counter the main thread watches. */
const beatMs = 200;
/** Milliseconds after a load in which the thread only answers requests. What else belongs to the load takes some 20 ms of a large model. */
const firstAnswersMs = 20;

function schemaUnless(known: string | null, runtime: AgentRuntime): HashedSchema | null {
  const hash = runtime.schemaHash();
  return hash === known ? null : { document: runtime.schema(), hash };
}

type Calls = {
  readonly [Method in WorkerMethod]: (input: WorkerCalls[Method]['input']) => Promise<WorkerCalls[Method]['output']>;
};

/**
 * Serve an agent from a worker thread: answer the calls of the main thread until it says stop. The agent is made at the
 * first call, which gets the error when that is impossible.
 */
export function runAgentWorker(port: MessagePort, data: AgentWorkerData, world: AgentWorkerPorts): void {
  const heartbeat = startHeartbeat(data.heartbeat);
  const send = (message: WorkerMessage) => port.postMessage(message);
  refuseExit(data.projectRoot);
  tellWhatRuns(data.projectRoot, (running) => send({ kind: 'crashing', running }));
  const areIntrinsicsHarmed = watchIntrinsics();
  const tables = data.followsTables ? new TableWatch(() => send({ kind: 'catalogue-changed' })) : undefined;
  let isWatching = false;
  const log = exceptTaken(tables, agentLog(data, send));
  let made: AgentRuntime | undefined;
  const runtime = () => {
    made ??= world.createRuntime(log);
    return made;
  };
  const code = createCodeInService(data, runtime, world);
  let handedTypings: string | undefined;
  let isListening = false;
  /** Resolves when the requests that waited for a load have been answered. */
  let firstAnswers: Promise<void> = Promise.resolve();
  /** Once code is loaded: in the first worker that is when it listens. */
  const watchDatabases = async () => {
    if (isWatching) return;
    isWatching = true;
    await tables?.start(runtime());
    compareZones(runtime(), log);
  };

  const calls: Calls = {
    isHarmed: async () => code.isCutShort || areIntrinsicsHarmed(),

    async load(input) {
      const result = await code.load(input);
      if (!isListening) return result;
      firstAnswers = pause(firstAnswersMs);
      await watchDatabases();
      return result;
    },

    tables: () => runtime().tables(),
    warningsOfCheck: ({ asksDatabases }) => runtime().warningsOfCheck(asksDatabases),

    async typings() {
      await firstAnswers;
      const text = runtime().typings();
      world.onWorked();
      if (text === handedTypings) return null;
      handedTypings = text;
      return text;
    },

    async schema({ known }) {
      await firstAnswers;
      const schema = schemaUnless(known, runtime());
      world.onWorked();
      return schema;
    },

    async listen({ absence, reachedAt }) {
      if (absence) runtime().explainAbsence(reviveError(absence));
      const servers = await runtime().listen(reachedAt ?? undefined);
      isListening = true;
      if (code.isLoaded) await watchDatabases();
      return { ...servers, agentToken: await runtime().issueAgentToken(), mcpToken: await runtime().issueMcpToken() };
    },

    explain: ({ collection, query }) => runtime().explain(collection, query),

    explainPermissions: (question) => runtime().explainPermissions(question),
    typingsFor: ({ user }) => runtime().typingsFor(user),

    diagnose: async () => diagnosisOf(runtime()),

    async stop({ drainMs }) {
      tables?.stop();
      await made?.stop(drainMs);
      clearInterval(heartbeat);
      return null;
    },
  };

  answerRequests(port, calls, send);
}

/** Nobody waits for it. */
function compareZones(runtime: AgentRuntime, log: ReturnType<typeof agentLog>): void {
  runtime
    .warnOfZones()
    .catch((error: unknown) => log('Warn', `The time zones of the databases were not compared: ${String(error)}`));
}

function startHeartbeat(heartbeat: SharedArrayBuffer): NodeJS.Timeout {
  const counter = new Int32Array(heartbeat);
  const beat = () => Atomics.add(counter, 0, 1);
  // The first beat says that the product's own modules are loaded. If the counter stands still from here on, user code keeps it.
  beat();
  return setInterval(beat, beatMs);
}

/** What the evaluation of code replaces itself is not harm. */
function watchIntrinsics(): () => boolean {
  prepareEvaluation();
  return noteIntrinsics();
}

function diagnosisOf(runtime: AgentRuntime): WorkerDiagnosis {
  globalThis.gc?.();
  return {
    heapUsedBytes: process.memoryUsage().heapUsed,
    activeResources: process.getActiveResourcesInfo(),
    databaseConnections: runtime.openConnections(),
  };
}

function answerRequests(port: MessagePort, calls: Calls, send: (message: WorkerMessage) => void): void {
  port.on('message', (request: WorkerRequest) => {
    const call = calls[request.method] as (input: unknown) => Promise<unknown>;
    call(request.input).then(
      (output) => send({ kind: 'answer', id: request.id, output }),
      (error: unknown) => send({ kind: 'refusal', id: request.id, error: reportOfError(error) }),
    );
  });
}

/** Tells the developer what failed, and where, and the rest as lines. The client of a failed request learns nothing of it. */
function agentLog({ projectRoot }: AgentWorkerData, send: (message: WorkerMessage) => void): LogFunction {
  return (level, message, fields = {}) => {
    const { error } = fields;
    if (level === 'Error' && error !== undefined) {
      const problem = customizationError(error, 'The customization code', projectRoot);
      send({ kind: 'request-failed', error: reportOfError(problem) });
    } else {
      send({ kind: 'log', line: { time: new Date().toISOString(), level, message, facts: plainFacts(fields) } });
    }
  };
}

/** Without the errors that the watch of the tables takes. */
function exceptTaken(tables: TableWatch | undefined, log: LogFunction): LogFunction {
  return (level, message, fields) => {
    if (!tables?.takes(fields?.['error'])) log(level, message, fields);
  };
}

/** The plain values of a line, and what its errors say. Whoever hides secrets may have made objects of errors. */
export function plainFacts(fields: Readonly<Record<string, unknown>>): AgentLogLine['facts'] {
  const kinds = ['string', 'number', 'boolean'];
  const told = Object.entries(fields).map(
    ([name, value]) => [name, saidByErrors(loggedValue(value, { hasStacks: false })) ?? value] as const,
  );
  return Object.fromEntries(told.filter(([, value]) => kinds.includes(typeof value))) as AgentLogLine['facts'];
}
