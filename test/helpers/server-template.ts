import { access, chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';

const templates = path.resolve(import.meta.dirname, '../../.tmp');

/**
 * The data of a new database server in `folder`, which must not be there yet. To make them takes seconds and to copy them does not, so
 * the first caller makes a template that all test files copy.
 *
 * @param version names the server with its version: another version has other data.
 * @param make writes the data into the folder that it gets, which is not there yet.
 */
export async function copyTemplate(
  version: string,
  folder: string,
  make: (folder: string) => Promise<unknown>,
): Promise<void> {
  const template = path.join(templates, version.replaceAll(/[^\w.-]+/g, '-'));
  if (!(await isThere(template))) await makeTemplate(template, make);
  // The data keep their owner, who is not the superuser that the tests may run as.
  await execa('cp', ['-a', template, folder]);
}

async function makeTemplate(template: string, make: (folder: string) => Promise<unknown>): Promise<void> {
  await mkdir(templates, { recursive: true });
  const unfinished = await mkdtemp(`${template}-`);
  // PostgreSQL runs as a user of its own.
  await chmod(unfinished, 0o755);
  try {
    const data = path.join(unfinished, 'data');
    await make(data);
    await rename(data, template);
  } catch (error) {
    // Another test file may have been first.
    if (!(await isThere(template))) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
