import Module from 'node:module';
import path from 'node:path';

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
