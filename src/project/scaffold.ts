import path from 'node:path';
import { CloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';

export interface ScaffoldInput {
  /** Folder of the template, inside this package. */
  readonly template: string;
  /** Absolute path of the project to create; must not exist, or be empty. */
  readonly target: string;
  /** The values of `{{name}}` and the like in the template's files. */
  readonly values: Readonly<Record<string, string>>;
  /** Root of this package, linked into the project so that it type-checks before anything is installed. */
  readonly packageRoot: string;
  /** Further work in the folder before it becomes visible: sample data, generated types. */
  complete(folder: string): Promise<void>;
  /** Registers the undo for an interrupted process; returns a function that removes it. */
  onInterrupt(cleanup: () => Promise<void>): () => void;
}

/** Names that npm or git would act on if the package carried them as they are. */
const storedNames: Readonly<Record<string, string>> = { gitignore: '.gitignore', env: '.env' };

/** Create a project whole or not at all: it is built in a folder beside the target and renamed into place at the end. */
export async function scaffoldProject(fs: FileSystem, input: ScaffoldInput): Promise<void> {
  if ((await fs.list(input.target)).length > 0) throw alreadyThere(input.target);
  const folder = await fs.makeTemporaryFolderBeside(input.target);
  const forget = input.onInterrupt(() => fs.remove(folder));
  try {
    await renderTemplate(fs, input, folder);
    await linkPackage(fs, input.packageRoot, folder);
    await input.complete(folder);
    await fs.remove(input.target);
    await fs.rename(folder, input.target);
  } catch (error) {
    await fs.remove(folder);
    throw error;
  } finally {
    forget();
  }
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
async function linkPackage(fs: FileSystem, packageRoot: string, folder: string): Promise<void> {
  const modules = path.join(folder, 'node_modules');
  await fs.linkFolder(packageRoot, path.join(modules, '@vendor', 'cloud'));
  await fs.linkProgram(path.join(packageRoot, 'bin', 'vendor-cloud.js'), path.join(modules, '.bin', 'vendor-cloud'));
}

function alreadyThere(target: string): CloudError {
  return new CloudError({
    code: 'PROJECT_EXISTS',
    message: `${target} exists already and is not empty.`,
    nextSteps: ['Name another folder, or remove this one first.'],
  });
}
