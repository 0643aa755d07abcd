import Module from 'node:module';
import path from 'node:path';
import type { SourceLocation } from '#kernel/errors/cloud-error';
import { firstFrame } from './call-site.ts';

/** Code whose stack traces name the lines of the files that it was made from. */
interface MappedCode {
  readonly file: string;
  /** The comment that holds the map; empty where the code has none. */
  readonly comment: string;
}

/** In the order of their loading. */
const inService = new Set<MappedCode>();

/** What Node.js uses the map of. It forgets the map of a module without references. */
let read: { readonly mapped: MappedCode; readonly module: Module } | undefined;

let isPrepared = false;

/** Wraps the function of Node.js that formats stack traces, so that it has the map by then. Later calls do nothing. */
export function prepareStackPlaces(): void {
  if (isPrepared) return;
  isPrepared = true;
  const format = Error.prepareStackTrace;
  Error.prepareStackTrace = (error, frames): unknown => {
    readNewest();
    return format?.(error, frames);
  };
}

/**
 * Stack traces of the code at `file` name the lines of its sources from now on. Reading a source map takes as long as compiling the
 * code, and few stack traces are read, so Node.js reads the map when the first stack trace is formatted. Call this before the code
 * is compiled. Debuggers find the map at the end of the code all the same.
 *
 * @returns what ends this: stack traces name the lines of the code before.
 */
export function mapPlaces(code: string, file: string): () => void {
  prepareStackPlaces();
  readMapsOfCompiled(false);
  read = undefined;
  const mapped = { file, comment: mapCommentOf(code) };
  inService.add(mapped);
  return () => {
    inService.delete(mapped);
    if (read?.mapped === mapped) read = undefined;
  };
}

/** Node.js reads the map of a module that it compiles, so it gets one with only the map. */
function readNewest(): void {
  const mapped = [...inService].at(-1);
  if (!mapped || read?.mapped === mapped) return;
  readMapsOfCompiled(true);
  const module = moduleAt(mapped.file);
  read = { mapped, module };
  module._compile(mapped.comment, mapped.file);
}

function mapCommentOf(code: string): string {
  const start = code.lastIndexOf('\n//# sourceMappingURL=');
  return start === -1 ? '' : code.slice(start);
}

function readMapsOfCompiled(isOn: boolean): void {
  Module.setSourceMapsSupport(isOn, { nodeModules: false, generatedCode: false });
}

/** What Node.js has of a module, and its types do not. */
interface CompilableModule extends Module {
  _compile(code: string, file: string): unknown;
}
interface ModulePaths {
  _nodeModulePaths(folder: string): string[];
}

/** A module for CommonJS code as if it stood at `file`: `require`, `import()` and stack traces resolve from there. Compiling runs it. */
export function moduleAt(file: string): CompilableModule {
  const module = new Module(file) as unknown as CompilableModule;
  module.filename = file;
  module.paths = (Module as unknown as ModulePaths)._nodeModulePaths(path.dirname(file));
  return module;
}

/** The topmost place of the user's own code in the stack of an error, or `undefined` when there is none. */
export function locateInProject(error: unknown, projectRoot: string | undefined): SourceLocation | undefined {
  if (!(error instanceof Error) || projectRoot === undefined) return undefined;
  for (const line of (error.stack ?? '').split('\n')) {
    const frame = firstFrame(line);
    if (frame && isOwnFile(frame.file, projectRoot)) return frame;
  }
  return undefined;
}

function isOwnFile(file: string, projectRoot: string): boolean {
  const relative = path.relative(projectRoot, file);
  return !relative.startsWith('..') && !path.isAbsolute(relative) && !relative.split(path.sep).includes('node_modules');
}
