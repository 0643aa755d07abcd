import { cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';

const usualRegistry = 'https://registry.npmjs.org';

/**
 * The newest version of this package in the registry that npm is set to use (`npm_config_registry`). Rejects with
 * `REGISTRY_FAILED`, or with `PLATFORM_…` when nothing answers.
 */
export async function latestVersion(
  { http, variables, package: { name } }: Pick<FlowContext, 'http' | 'variables' | 'package'>,
  deadlineMs = 10_000,
): Promise<string> {
  const registry = (variables['npm_config_registry'] || usualRegistry).replace(/\/+$/, '');
  const url = `${registry}/${name.replace('/', '%2f')}/latest`;
  const { status, body } = await http.send({ method: 'GET', url, deadlineMs, headers: { accept: 'application/json' } });
  const version = status === 200 ? versionIn(new TextDecoder().decode(body)) : undefined;
  if (version !== undefined) return version;
  throw cloudError(
    'REGISTRY_FAILED',
    `The registry at ${new URL(registry).host} does not tell the newest version of ${name} (status ${status}).`,
    'Check the registry that npm uses: npm config get registry',
  );
}

/** Whether a version is above another one. A preview is above none: nobody is led to it. */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split('-')[0]?.split('.').map(Number) ?? []);
  if (version.includes('-')) return false;
  for (const part of [0, 1, 2]) {
    const difference = (one?.[part] ?? 0) - (other?.[part] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return than.includes('-');
}

function versionIn(text: string): string | undefined {
  try {
    const { version } = JSON.parse(text) as { readonly version?: unknown };
    return typeof version === 'string' && /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version) ? version : undefined;
  } catch {
    return undefined; // A proxy may answer with a page.
  }
}
