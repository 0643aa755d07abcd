import path from 'node:path';
import { proxiesFrom } from '#kernel/environment/proxies';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ObjectStore } from '#kernel/ports/object-store';
import { createNodeAgents } from '#node/http/node-agents';
import { openFileObjects } from '#node/objects/file-objects';

export interface ArchiveSurroundings {
  readonly workingFolder: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/**
 * The place of an archive: `file:///var/archive`, `file:archive` below the folder that the command is called in, or
 * `s3://bucket/folder?region=…&endpoint=…`.
 *
 * @throws `USAGE_INVALID`, `ARCHIVE_STORE_PACKAGE_MISSING`.
 */
export async function openArchive(
  address: string,
  { workingFolder, variables }: ArchiveSurroundings,
): Promise<ObjectStore> {
  const [, file] = /^file:(?:\/\/)?(.+)$/i.exec(address) ?? [];
  if (file !== undefined) return openFileObjects(path.resolve(workingFolder, decoded(file)));
  const url = /^s3:\/\/[^/?#]+/i.test(address) && URL.canParse(address) ? new URL(address) : undefined;
  if (!url) throw noAddress();
  // Arguments can be read by everybody.
  if (url.username !== '' || url.password !== '') throw withSecret();
  const { region, endpoint, ...others } = Object.fromEntries(url.searchParams);
  if (Object.keys(others).length > 0 || region === '' || url.port !== '' || url.hash !== '') throw noAddress();
  if (endpoint !== undefined) requireEndpoint(endpoint);
  const folder = decoded(url.pathname).replaceAll(/^\/+|\/+$/g, '');
  const { openS3Objects } = await import('#node/objects/s3-objects');
  return openS3Objects({
    bucket: url.hostname,
    prefix: folder === '' ? '' : `${folder}/`,
    region,
    endpoint,
    agents: createNodeAgents(proxiesFrom(variables)),
  });
}

/** `localhost:9000` is an address too: its protocol is `localhost:`. */
function requireEndpoint(endpoint: string): void {
  const server = URL.parse(endpoint);
  if (!server || !['http:', 'https:'].includes(server.protocol)) throw noAddress();
  if (server.username !== '' || server.password !== '') throw withSecret();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The path is what it says.
    return text;
  }
}

function noAddress(): CloudError {
  return cloudError(
    'USAGE_INVALID',
    'This is not an address of an archive.',
    'Write file:///var/archive, or s3://bucket/folder with ?region=… or ?endpoint=https://… behind it.',
  );
}

function withSecret(): CloudError {
  return cloudError(
    'USAGE_INVALID',
    'The address of the archive holds a secret, which everybody on the machine can read.',
    'Put the credentials into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Change them: they were seen.',
  );
}
