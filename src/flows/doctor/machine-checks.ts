import type { FlowContext } from '../flow-context.ts';
import { type Check, failed, passed, skipped, warning } from './check.ts';

/** The ports that `dev` takes where nobody names others. */
const defaultPorts = [3351, 3310, 3931] as const;
/** Under so many watches, editors and watchers of other projects leave too few. */
const fewWatches = 8_192;

/** The checks of the machine itself. */
export async function checkMachine(context: FlowContext): Promise<Check[]> {
  return [checkNode(context), await checkPorts(context), await checkWatches(context), await checkCertificates(context)];
}

function checkNode({ machine, package: { version } }: FlowContext): Check {
  const { nodeVersion, system, architecture } = machine;
  return passed('Node.js', `Node.js ${nodeVersion} on ${system}-${architecture} runs vendor-cloud ${version}.`);
}

async function checkPorts({ machine }: FlowContext): Promise<Check> {
  const taken: string[] = [];
  for (const port of defaultPorts) {
    if (await machine.isPortFree(port)) continue;
    taken.push(`${port} (${(await machine.portOwner(port)) ?? 'unknown process'})`);
  }
  if (taken.length === 0) return passed('ports', `The ports ${defaultPorts.join(', ')} are free.`);
  return warning(
    'ports',
    `Taken: ${taken.join(', ')}.`,
    '"vendor-cloud dev" takes other ports and prints them. Stop that process to use the usual ones.',
  );
}

async function checkWatches({ fs }: FlowContext): Promise<Check> {
  const text = await fs.readText('/proc/sys/fs/inotify/max_user_watches');
  if (text === null) return skipped('file watches', 'This system has no limit that can be read.');
  const limit = Number(text);
  if (limit >= fewWatches) return passed('file watches', `The system allows ${limit} watched files.`);
  return warning(
    'file watches',
    `The system allows only ${limit} watched files, which other programs may use up.`,
    'sudo sysctl fs.inotify.max_user_watches=524288',
  );
}

async function checkCertificates({ fs, variables }: FlowContext): Promise<Check> {
  const file = variables['NODE_EXTRA_CA_CERTS'];
  if (!file) return passed('certificates', 'The certificate authorities of Node.js and of the system are trusted.');
  const text = await fs.readText(file);
  const count = text?.match(/-----BEGIN CERTIFICATE-----/g)?.length ?? 0;
  if (count > 0) return passed('certificates', `${file} adds ${count} certificate authorities.`);
  return failed('certificates', {
    message: `NODE_EXTRA_CA_CERTS names ${file}, which ${text === null ? 'does not exist' : 'holds no certificate'}.`,
    nextSteps: ['Correct NODE_EXTRA_CA_CERTS, or unset it.'],
  });
}
