import { hostname } from 'node:os';
import path from 'node:path';
import type { AgentAddress } from '#flows/platform/reached-agents';
import { type PlatformServerEvent, startPlatformServer } from '#flows/platform/start-platform-server';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';
import { limitYoungGeneration } from '#node/system/thread-memory';
import type { RatePolicy, Retention } from '#platform/index';
import { parseListenAddress } from '../flags/platform-flags.ts';
import { storeFrom } from '../flags/store-argument.ts';
import type { CliContext } from '../invocation/cli-context.ts';
import type { Invocation } from '../invocation/invocation.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { envSecretOf, tellOfHost } from './run-environment-host.ts';

export interface PlatformFlags {
  readonly store: string;
  readonly listen: string;
  /** The address of the environment host in the same process. */
  readonly serve: string | undefined;
  readonly publicUrl: string | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly agentAddresses: readonly AgentAddress[];
  readonly trustedProxies: readonly string[];
  /** `undefined`: the usual ones. */
  readonly ratePolicies: readonly RatePolicy[] | undefined;
  readonly checkpointFile: string | undefined;
  readonly retention: Retention;
  /** Address of the archive that rows must be in before they are removed. */
  readonly archive: string | undefined;
  readonly hasAccessLog: boolean;
  /** In seconds. */
  readonly notice: number;
  readonly drain: number;
}

/** Extra time to close the store, in addition to the time of the requests. */
const closingMs = 5_000;

/** Serve a platform until the process gets a signal to end. The access log and, under `--json`, all events are JSON lines. */
export async function runPlatform(invocation: Invocation, context: CliContext, flags: PlatformFlags): Promise<void> {
  limitYoungGeneration();
  const { terminal } = invocation;
  const { host, port } = parseListenAddress(flags.listen);
  const noticeMs = flags.notice * 1000;
  const drainMs = flags.drain * 1000;
  invocation.serve(noticeMs + drainMs + closingMs, exitCodes.failed);
  try {
    await startPlatformServer(context, {
      store: storeFrom(invocation, context, flags.store, 'SERVICE_PLATFORM_STORE'),
      listen: { host, port: { port, isExact: port !== 0, flag: '--listen' } },
      host: flags.serve === undefined ? undefined : embeddedHost(context, flags.serve),
      publicUrl: flags.publicUrl,
      tls: certificateFiles(context, flags),
      agentAddresses: flags.agentAddresses,
      trustedProxies: flags.trustedProxies,
      ratePolicies: flags.ratePolicies,
      checkpointFile: flags.checkpointFile,
      retention: flags.retention,
      archive: flags.archive,
      hasAccessLog: flags.hasAccessLog,
      noticeMs,
      drainMs,
      signal: invocation.interrupted,
      tell: (event) => tell(event, terminal, context),
    });
  } finally {
    await context.http.close();
  }
}

function embeddedHost(context: CliContext, listen: string) {
  const { host: bindAddress, port } = parseListenAddress(listen);
  return {
    envSecret: envSecretOf(context),
    name: hostname(),
    bindAddress,
    ports: { agent: { port, isExact: port !== 0, flag: '--serve' }, mcp: { port: 0, isExact: false } },
    workers: 1,
    stateFolder: path.resolve(context.workingFolder, '.vendor-cloud/host'),
  };
}

function tell(event: PlatformServerEvent, terminal: Terminal, context: CliContext): void {
  if (event.event === 'host') tellOfHost(event.host, terminal, context);
  else if (terminal.isJson) terminal.json(event);
  else show(event, terminal);
}

/** The command asks for both or none. */
function certificateFiles({ workingFolder }: CliContext, { tlsCert, tlsKey }: PlatformFlags) {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return { certFile: path.resolve(workingFolder, tlsCert), keyFile: path.resolve(workingFolder, tlsKey) };
}

function show(event: Exclude<PlatformServerEvent, { readonly event: 'host' }>, { style, note, json }: Terminal): void {
  switch (event.event) {
    case 'listening': {
      const where = event.url === event.publicUrl ? event.url : `${event.publicUrl} (listens on ${event.url})`;
      note(`${style.green('✔')} The platform serves ${where}`);
      note(`  Store: ${event.store}`);
      break;
    }
    case 'setup':
      note(`${style.yellow('!')} Nobody is there yet. Open this link to become the first administrator:`);
      note(`  ${style.bold(event.url)}`);
      note(`  It works once, until ${event.expiresAt}.`);
      break;
    case 'request':
      json(event);
      break;
    case 'log':
      note(`${style.red('✘')} ${event.at} ${event.message} ${style.dim(JSON.stringify(event.fields))}`);
      break;
    case 'stopping':
      break;
    case 'stopped':
      note('Stopped.');
  }
}
