import path from 'node:path';
import type { Check } from '#contracts/checks';
import { devSessionFile } from '#contracts/dev-session';
import { urisOf } from '#contracts/project-config';
import { variables as knownVariables, type VariableDefinition } from '#kernel/environment/variables';
import { cloudError } from '#kernel/errors/cloud-error';
import { parseServerAddress } from '#kernel/text/server-address';
import { withoutUserInfo } from '#kernel/text/without-user-info';
import type { FlowContext } from '../flow-context.ts';
import { savedTokensFile } from '../platform-access/platform-tokens.ts';
import type { ProjectParts } from '../platform-access/project-parts.ts';

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

const replacement = '[redacted]';
/** Shorter values, such as `1` and `true`, would tear holes into everything. */
const shortest = 6;
const secretName = /secret|token|password|passwd|key|credential|_uri$|_url$/i;
const harmless = new Set(['SERVICE_SERVER_URL']);

/** The values that must not leave this machine: those of secret variables, of `.env`, of kept tokens and of connection addresses. */
async function secretsOf(context: FlowContext, { root, config, envFile }: ProjectParts): Promise<string[]> {
  const ofProcess = Object.entries(context.variables).filter(([name]) => isSecretVariable(name));
  const ofFile = Object.entries(envFile).filter(([name]) => !harmless.has(name));
  const values = [...ofProcess, ...ofFile].map(([, value]) => value ?? '');
  const uris = Object.values(config?.dataSources ?? {}).flatMap(urisOf);
  const kept = [savedTokensFile(context), ...(root === undefined ? [] : [path.join(root, devSessionFile)])];
  const texts = await Promise.all(kept.map((file) => context.fs.readText(file)));
  const tokens = texts.flatMap((text) =>
    [...(text ?? '').matchAll(/"\w*(?:[tT]oken|[sS]ecret)"\s*:\s*"([^"]+)"/g)].map(([, token]) => token ?? ''),
  );
  return [...values, ...tokens, ...[...values, ...uris].flatMap(partsOfUri)].filter(
    (value) => value.length >= shortest,
  );
}

/** A text without any of the secrets, and without a user name and a password in an address. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const longestFirst = [...new Set(secrets)].sort((one, other) => other.length - one.length);
  const forms = longestFirst.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
  ]);
  return withoutUserInfo(forms.reduce((rest, form) => rest.replaceAll(form, replacement), text));
}

function isSecretVariable(name: string): boolean {
  if (harmless.has(name)) return false;
  const known = (knownVariables as Readonly<Record<string, VariableDefinition>>)[name];
  return known?.isSecret === true || secretName.test(name);
}

/** The password of an address, as it is and decoded. */
function partsOfUri(uri: string): string[] {
  const password = parseServerAddress(uri)?.url.password ?? '';
  return [password, safelyDecoded(password)];
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // It is not encoded.
  }
}
