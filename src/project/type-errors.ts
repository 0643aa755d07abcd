import path from 'node:path';
import type { SourceLocation } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import { codeFrame } from './code-frame.ts';

/** What the compiler says of one place. */
export interface TypeProblem extends SourceLocation {
  readonly line: number;
  readonly column: number;
  /** `TS2322`. */
  readonly code: string;
  /** Its first line says what is wrong, the others why. */
  readonly message: string;
}

const place = /^(?<file>.+)\((?<line>\d+),(?<column>\d+)\): error (?<code>TS\d+): (?<message>.*)$/;
/** An error of the settings has no place. */
const placeless = /^error (?<code>TS\d+): (?<message>.*)$/;
const mostFrames = 5;

/** The errors that `tsc --pretty false` prints, the first few with the lines around their places. */
export async function readTypeErrors(fs: FileSystem, root: string, output: string): Promise<readonly TypeProblem[]> {
  const problems: TypeProblem[] = [];
  for (const line of output.split(/\r?\n/)) {
    const found = (place.exec(line) ?? placeless.exec(line))?.groups;
    const last = problems.at(-1);
    if (found) problems.push(problemOf(root, found));
    else if (last && /^\s+\S/.test(line)) problems.splice(-1, 1, { ...last, message: `${last.message}\n${line}` });
  }
  return Promise.all(problems.map((problem, index) => (index < mostFrames ? withFrame(fs, problem) : problem)));
}

function problemOf(root: string, found: Readonly<Record<string, string | undefined>>): TypeProblem {
  const { file = 'tsconfig.json', line = '1', column = '1', code = '', message = '' } = found;
  return { file: path.resolve(root, file), line: Number(line), column: Number(column), code, message };
}

async function withFrame(fs: FileSystem, problem: TypeProblem): Promise<TypeProblem> {
  const source = await fs.readText(problem.file);
  return source === null ? problem : { ...problem, frame: codeFrame(source, problem.line, problem.column) };
}

/**
 * The TypeScript compiler of a project, as the path of its program: the one that is installed in it or in a folder above, as in a
 * workspace. `null` if there is none, or the project has no `tsconfig.json`.
 */
export async function findCompiler(fs: FileSystem, root: string): Promise<string | null> {
  if (!(await fs.exists(path.join(root, 'tsconfig.json')))) return null;
  for (let folder = root; ; folder = path.dirname(folder)) {
    const compiler = path.join(folder, 'node_modules', 'typescript', 'bin', 'tsc');
    if (await fs.exists(compiler)) return compiler;
    if (folder === path.dirname(folder)) return null;
  }
}
