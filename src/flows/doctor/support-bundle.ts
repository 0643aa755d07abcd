import path from 'node:path';
import { variables as knownVariables } from '#kernel/environment/variables';
import { cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import type { ProjectParts } from '../platform-access/project-parts.ts';
import type { Check } from './check.ts';
import { secretsOf, withoutSecrets } from './secrets.ts';

interface BundleInput {
  readonly file: string;
  readonly parts: ProjectParts;
  readonly checks: readonly Check[];
}

/**
 * Write what was found into a file that can be sent to somebody else: it has the names of variables without their values, and no
 * secret that this machine knows. Resolves to its absolute path.
 */
export async function writeSupportBundle(context: FlowContext, { file, parts, checks }: BundleInput): Promise<string> {
  const target = path.resolve(context.workingFolder, file);
  const { machine, package: running, variables } = context;
  const content = {
    writtenAt: new Date(context.clock.now()).toISOString(),
    package: { name: running.name, version: running.version },
    machine: { node: machine.nodeVersion, system: machine.system, architecture: machine.architecture },
    checks,
    variablesSet: Object.keys(knownVariables).filter((name) => variables[name]),
    project: parts.root && { root: parts.root, config: parts.config, envFileNames: Object.keys(parts.envFile) },
  };
  const text = withoutSecrets(JSON.stringify(content, null, 2), await secretsOf(context, parts));
  if (await context.fs.createExclusively(target, `${text}\n`, { mode: 0o600 })) return target;
  throw cloudError('USAGE_INVALID', `${target} exists already.`, 'Name another file after --bundle.');
}
