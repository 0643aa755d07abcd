import path from 'node:path';
import { devSessionFile } from '#contracts/dev-session';
import { variables as knownVariables, type VariableDefinition } from '#kernel/environment/variables';
import { withoutUserInfo } from '#kernel/text/without-user-info';
import type { FlowContext } from '../flow-context.ts';
import type { ProjectParts } from '../platform-access/project-parts.ts';
import { savedTokensFile } from '../platform-access/saved-tokens.ts';

const replacement = '[redacted]';
/** Shorter values, such as `1` and `true`, would tear holes into everything. */
const shortest = 6;
const secretName = /secret|token|password|passwd|key|credential|_uri$|_url$/i;
const harmless = new Set(['SERVICE_SERVER_URL']);

/** The values that must not leave this machine: those of secret variables, of `.env`, of kept tokens and of connection addresses. */
export async function secretsOf(context: FlowContext, { root, config, envFile }: ProjectParts): Promise<string[]> {
  const ofProcess = Object.entries(context.variables).filter(([name]) => isSecretVariable(name));
  const ofFile = Object.entries(envFile).filter(([name]) => !harmless.has(name));
  const values = [...ofProcess, ...ofFile].map(([, value]) => value ?? '');
  const uris = Object.values(config?.dataSources ?? {}).map(({ uri }) => uri);
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
export function withoutSecrets(text: string, secrets: readonly string[]): string {
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
  const password = URL.parse(uri)?.password ?? '';
  return [password, safelyDecoded(password)];
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // It is not encoded.
  }
}
