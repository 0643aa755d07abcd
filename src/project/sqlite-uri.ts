import path from 'node:path';

type Paths = Pick<typeof path, 'isAbsolute' | 'relative' | 'resolve' | 'sep'>;

/** The file of a URI such as `sqlite:./app.sqlite` or `sqlite:C:\data\app.sqlite`; `undefined` for any other address. */
function fileOf(uri: string): string | undefined {
  return /^sqlite:(?!\/)(.+)$/.exec(uri)?.[1];
}

/** The URI of a SQLite file with its whole path; any other address as it is. A relative path counts from `folder`. */
export function absoluteSqliteUri(uri: string, folder: string, paths: Paths = path): string {
  const file = fileOf(uri);
  return file === undefined ? uri : `sqlite:${paths.resolve(folder, file)}`;
}

/**
 * The URI of a SQLite file with its path from a project, as it stands in the configuration: with forward slashes, on every system. A
 * file on another drive keeps its whole path. `undefined` for any other address.
 *
 * @param folder what a relative path of the URI counts from.
 */
export function sqliteUriInProject(uri: string, root: string, folder: string, paths: Paths = path): string | undefined {
  const file = /^sqlite:(?!\/\/)(.+)$/.exec(uri)?.[1];
  if (file === undefined) return undefined;
  const inProject = paths.relative(root, paths.resolve(folder, file));
  const place = inProject.split(paths.sep).join('/');
  return `sqlite:${place.startsWith('.') || paths.isAbsolute(inProject) ? '' : './'}${place}`;
}
