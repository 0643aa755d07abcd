import path from 'node:path';
import { projectConfigFile } from '#contracts/project-config';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';

export interface ScaffoldInput {
  /** Folder of the template, inside this package. */
  readonly template: string;
  /** Absolute path of the project to create; must not exist, or hold only the folder of git. */
  readonly target: string;
  /** The values of `{{name}}` and the like in the template's files. */
  readonly values: Readonly<Record<string, string>>;
  /** Root of this package, linked into the project so that it type-checks before anything is installed. */
  readonly packageRoot: string;
  /** Further work in the folder before it becomes visible: sample data, generated types. The signal gives it up. */
  complete(folder: string, signal: AbortSignal): Promise<void>;
  /** Registers the undo for an interrupted process; returns a function that removes it. */
  onInterrupt(cleanup: () => Promise<void>): () => void;
}

/** Names that npm or git would act on if the package carried them as they are. */
const storedNames: Readonly<Record<string, string>> = { gitignore: '.gitignore', env: '.env' };

/**
 * Create a project whole or not at all. It is built in a hidden folder beside the target and renamed at the end. A target that
 * exists stays the folder that it is, because a shell may be in it: the project is built inside it and its files move up.
 */
export async function scaffoldProject(fs: FileSystem, input: ScaffoldInput): Promise<void> {
  const { target } = input;
  const isThere = (await fs.exists(target)) || (await fs.isLink(target));
  if (isThere) await refuseTarget(fs, target);
  const interruption = new AbortController();
  const work = buildProject(fs, input, isThere ? path.join(target, 'project') : target, interruption.signal);
  const forget = input.onInterrupt(async () => {
    interruption.abort(interrupted());
    await work.catch(() => undefined); // The caller gets the error.
  });
  try {
    await work;
  } finally {
    forget();
  }
}

async function refuseTarget(fs: FileSystem, target: string): Promise<void> {
  if (await fs.isLink(target)) throw alreadyThere(`${target} is a link, and a project is written through none.`);
  if (!(await fs.isFolder(target))) throw alreadyThere(`${target} is a file.`);
  const names = (await fs.list(target)).filter((name) => name !== '.git');
  if (names.length > 0) throw alreadyThere(`${target} exists already and is not empty.`);
}

async function buildProject(fs: FileSystem, input: ScaffoldInput, place: string, signal: AbortSignal): Promise<void> {
  const folder = await fs.makeTemporaryFolderBeside(place);
  try {
    await renderTemplate(fs, input, folder);
    await linkPackage(fs, input.packageRoot, folder);
    await input.complete(folder, signal);
    signal.throwIfAborted();
    if (place === input.target) await fs.rename(folder, input.target);
    else await moveUp(fs, folder, input.target);
  } catch (error) {
    await fs.remove(folder);
    throw error;
  }
}

/** The configuration moves last, because it makes the folder a project. */
async function moveUp(fs: FileSystem, folder: string, target: string): Promise<void> {
  const names = (await fs.list(folder)).filter((name) => name !== projectConfigFile);
  const moved: string[] = [];
  try {
    for (const name of [...names, projectConfigFile]) {
      await fs.rename(path.join(folder, name), path.join(target, name));
      moved.push(name);
    }
  } catch (error) {
    for (const name of moved) await fs.remove(path.join(target, name));
    throw error;
  }
  await fs.remove(folder);
}

async function renderTemplate(fs: FileSystem, { template, values }: ScaffoldInput, folder: string): Promise<void> {
  for (const file of await fs.listDeep(template)) {
    const text = (await fs.readText(path.join(template, file))) ?? '';
    const rendered = text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
    const name = storedNames[path.basename(file)] ?? path.basename(file);
    const options = name === '.env' ? { mode: 0o600 } : {};
    await fs.writeAtomically(path.join(folder, path.dirname(file), name), rendered, options);
  }
}

/** Until the package is installed, the one that made the project serves it: for the types and for `npx vendor-cloud`. */
export async function linkPackage(fs: FileSystem, packageRoot: string, folder: string): Promise<void> {
  const modules = path.join(folder, 'node_modules');
  await fs.linkFolder(packageRoot, path.join(modules, '@vendor', 'cloud'));
  await fs.linkProgram(path.join(packageRoot, 'bin', 'vendor-cloud.js'), path.join(modules, '.bin', 'vendor-cloud'));
}

function alreadyThere(message: string): CloudError {
  return cloudError('PROJECT_EXISTS', message, 'Name another folder, or remove this one first.');
}

function interrupted(): CloudError {
  return cloudError(
    'INTERRUPTED',
    'The project was not created, because the command was interrupted.',
    'Run it again.',
  );
}
