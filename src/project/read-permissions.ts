import path from 'node:path';
import type { PermissionFile } from '#contracts/permission-file';
import { permissionFileName } from '#contracts/project-config';
import type { SchemaDocument } from '#contracts/schema-document';
import { type CloudError, cloudError, type SourceLocation } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import { codeFrame } from './code-frame.ts';
import { placeInJson, readJson } from './json-file.ts';

/** Problems that one message lists. */
const maxListed = 10;

/**
 * Read and check the `permissions.json` of a project; `undefined` where it has none. Rejects with `PERMISSION_FILE_INVALID`, which
 * lists all that is wrong and points at the first place.
 *
 * @param name Another file, relative to the folder of the project.
 * @param schema Names in the file must be among those of its collections and masks; without it any name will do.
 */
export async function readPermissions(
  fs: FileSystem,
  root: string,
  schema?: SchemaDocument | null,
  name: string = permissionFileName,
): Promise<PermissionFile | undefined> {
  const file = path.resolve(root, name);
  const text = await fs.readText(file);
  if (text === null) return undefined;
  const reading = readJson(file, text);
  if ('problem' in reading) {
    throw invalid(name, `${name} is not JSON: ${reading.problem}.`, reading.location, text);
  }
  // Few who open a project read its rights.
  const { checkPermissions, placeInWords } = await import('#contracts/permission-problems');
  const checked = checkPermissions(reading.value, schema?.collections, schema?.meta.masks);
  if ('document' in checked) return checked.document;
  const [first] = checked.problems;
  const lines = checked.problems.slice(0, maxListed).map(({ place, message }) => `${placeInWords(place)}: ${message}`);
  const more = checked.problems.length - lines.length;
  const message = `${name} is not valid. ${lines.join(' ')}${more > 0 ? ` … and ${more} more.` : ''}`;
  throw invalid(name, message, placeInJson(file, text, first.place), text);
}

function invalid(name: string, message: string, location: SourceLocation, text: string): CloudError {
  return cloudError('PERMISSION_FILE_INVALID', message, `Correct ${name}; its format is in docs/permissions.md.`, {
    location: { ...location, frame: codeFrame(text, location.line, location.column) },
  });
}
