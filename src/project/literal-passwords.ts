import path from 'node:path';
import { permissionFileName, projectConfigFile } from '#contracts/project-config';
import type { FileSystem } from '#kernel/ports/file-system';
import type { Bundle } from './bundle.ts';

/** A password that is in a file of the project. */
export interface LiteralPassword {
  /** Relative to the project. */
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
}

/** A connection URI with a user and a password. */
const uriWithPassword = /\b[a-z][a-z0-9+.-]*:\/\/[^\s/?#:@'"`]*:(?<password>[^\s/?#@'"`]+)@/gi;

/** What replaces a password: a variable, signs, or the word itself, as documentation has it. */
const placeholder = /\$\{|[<>[\]{}]|^(?:[*x.…]+|pass|passw(?:or)?d|pwd|%\w)$/i;

/**
 * The passwords in connection URIs of the files that a version is made of. These are the code, as far as it is in the bundle,
 * the data sources of `vendor-cloud.json`, and `permissions.json`. Comments are not in a bundle, and packages are not the
 * user's own files.
 */
export async function findLiteralPasswords(
  fs: FileSystem,
  { root, dataSources }: { readonly root: string; readonly dataSources: unknown },
  { code, inputs }: Pick<Bundle, 'code' | 'inputs'>,
): Promise<readonly LiteralPassword[]> {
  const config = JSON.stringify(dataSources);
  const travelling = [
    ...inputs.map((file) => ({ file, isSent: (password: string) => code.includes(`:${password}@`) })),
    { file: path.join(root, projectConfigFile), isSent: (password: string) => config.includes(`:${password}@`) },
    { file: path.join(root, permissionFileName), isSent: () => true },
  ];
  const found = await Promise.all(
    travelling.map(async ({ file, isSent }) => {
      const text = (await fs.readText(file)) ?? '';
      return text.split('\n').flatMap((line, index) => {
        const passwords = [...line.matchAll(uriWithPassword)].map(({ groups }) => groups?.['password'] ?? '');
        const isLiteral = passwords.some((password) => !placeholder.test(password) && isSent(password));
        return isLiteral ? [{ file: path.relative(root, file), line: index + 1 }] : [];
      });
    }),
  );
  return found.flat();
}
