import type { Check } from '#contracts/checks';
import type { DevSession } from '#contracts/dev-session';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import type { ProjectParts } from '../platform-access/project-parts.ts';
import { failed, passed, skipped, warning } from './doctor-check.ts';

/** The ports that `dev` takes where nobody names others. */
const defaultPorts = [3351, 3310, 3931] as const;
/** With fewer watches than this, editors and watchers of other projects leave too few. */
const fewWatches = 8_192;

/** The checks of the machine itself. */
export async function checkMachine(context: FlowContext, { session }: Pick<ProjectParts, 'session'>): Promise<Check[]> {
  return [
    checkNode(context),
    await checkPorts(context, session),
    await checkWatches(context),
    await checkCertificates(context),
  ];
}

export function checkNode({ machine, package: { version } }: FlowContext): Check {
  const { nodeVersion, system, architecture } = machine;
  return passed('Node.js', `Node.js ${nodeVersion} on ${system}-${architecture} runs vendor-cloud ${version}.`);
}

async function checkPorts({ machine }: FlowContext, session: ProjectParts['session']): Promise<Check> {
  const own = session ? portsOf(session) : [];
  const free: number[] = [];
  const used: number[] = [];
  const taken: string[] = [];
  for (const port of defaultPorts) {
    if (await machine.isPortFree(port)) free.push(port);
    else if (own.includes(port)) used.push(port);
    else taken.push(`${port} (${(await machine.portOwner(port)) ?? 'unknown process'})`);
  }
  const owner = session?.agentUrl === undefined ? 'sandbox' : 'dev';
  const message = [
    ...listed('Free', free),
    ...listed(`Used by the running "vendor-cloud ${owner}" of this project`, used),
    ...listed('Taken', taken),
  ].join(' ');
  if (taken.length === 0) return passed('ports', message);
  return warning(
    'ports',
    message,
    '"vendor-cloud dev" takes other ports and prints them. Stop that process to use the usual ones.',
  );
}

/** The ports that the servers of a session listen on. */
function portsOf({ agentUrl, sandboxUrl, mcpUrl }: NonNullable<DevSession['servers']>): number[] {
  return [agentUrl, sandboxUrl, mcpUrl].flatMap((url) => (url === undefined ? [] : [Number(new URL(url).port)]));
}

function listed(label: string, ports: readonly (number | string)[]): string[] {
  return ports.length === 0 ? [] : [`${label}: ${ports.join(', ')}.`];
}

async function checkWatches({ fs }: FlowContext): Promise<Check> {
  const text = await fs.readText('/proc/sys/fs/inotify/max_user_watches');
  if (text === null) return skipped('file watches', 'This system has no limit that can be read.');
  const limit = Number(text);
  if (limit >= fewWatches) return passed('file watches', `The system allows ${limit} watched files.`);
  return warning(
    'file watches',
    `The system allows only ${limit} watched files, which other programs may use up. Then "vendor-cloud dev" looks at all files again and again.`,
    'sudo sysctl fs.inotify.max_user_watches=524288',
  );
}

export async function checkCertificates({ fs, variables }: FlowContext): Promise<Check> {
  const file = variables['NODE_EXTRA_CA_CERTS'];
  if (!file) return passed('certificates', 'The certificate authorities of Node.js and of the system are trusted.');
  const nextSteps = ['Correct NODE_EXTRA_CA_CERTS, or unset it.'];
  let text: string | null;
  try {
    text = await fs.readText(file);
  } catch (error) {
    if (!isCloudError(error)) throw error;
    return failed('certificates', { message: `NODE_EXTRA_CA_CERTS: ${error.message}`, nextSteps });
  }
  const count = text?.match(/-----BEGIN CERTIFICATE-----/g)?.length ?? 0;
  if (count > 0) return passed('certificates', `${file} adds ${count} certificate authorities.`);
  return failed('certificates', {
    message: `NODE_EXTRA_CA_CERTS names ${file}, which ${text === null ? 'does not exist' : 'holds no certificate'}.`,
    nextSteps,
  });
}
