import path from 'node:path';
import { parse } from 'dotenv';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';

const assignment = /^\s*(?:export\s+)?[A-Za-z_][\w.-]*\s*=\s*(.*)$/;

/** The variables of the project's `.env`; empty where there is no such file. Values never appear in an error. */
export async function readEnvFile(fs: FileSystem, root: string): Promise<Record<string, string>> {
  const file = path.join(root, '.env');
  const text = await fs.readText(file);
  if (text === null) return {};
  refuseBrokenLine(file, text.split(/\r?\n/));
  return parse(text);
}

/** The parser skips what it does not understand; a skipped secret would only be missed much later. */
function refuseBrokenLine(file: string, lines: readonly string[]): void {
  let openQuote: { readonly mark: string; readonly line: number } | undefined;
  for (const [index, line] of lines.entries()) {
    if (openQuote) {
      if (line.includes(openQuote.mark)) openQuote = undefined;
      continue;
    }
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const value = assignment.exec(line)?.[1];
    if (value === undefined) throw broken(file, index + 1, 'it is not of the form NAME=value');
    const mark = /^["'`]/.exec(value)?.[0];
    if (mark && !value.slice(1).includes(mark)) openQuote = { mark, line: index + 1 };
  }
  if (openQuote) throw broken(file, openQuote.line, `its quote ${openQuote.mark} is never closed`);
}

function broken(file: string, line: number, reason: string): CloudError {
  return cloudError(
    'PROJECT_ENV_FILE_INVALID',
    `Line ${line} of ${file} cannot be read: ${reason}.`,
    `Write line ${line} as NAME=value, or NAME="a value with spaces".`,
    { location: { file, line } },
  );
}
