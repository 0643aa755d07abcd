import path from 'node:path';
import { type ProjectConfig, projectConfigFile } from '#contracts/project-config';
import type { FileSystem } from '#kernel/ports/file-system';
import { withLineEndsOf } from '#kernel/text/line-ends';
import { readConfig } from './read-config.ts';

/** A configuration as it stands in the file, which is valid, without defaults. */
type WrittenConfig = Pick<ProjectConfig, 'dataSources'>;

/**
 * Change `vendor-cloud.json`. What is not changed stays as it was written. Resolves to the text before.
 *
 * @throws `PROJECT_CONFIG_INVALID`
 */
export async function rewriteConfig(
  fs: FileSystem,
  root: string,
  change: (written: WrittenConfig) => WrittenConfig,
): Promise<string> {
  await readConfig(fs, root);
  const file = path.join(root, projectConfigFile);
  const before = (await fs.readText(file)) ?? '';
  const written: WrittenConfig = JSON.parse(before.replace(/^\uFEFF/, ''));
  const after = `${JSON.stringify(change(written), undefined, 2)}\n`;
  await fs.writeAtomically(file, withLineEndsOf(before, after));
  return before;
}
