import Module from 'node:module';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { customizationError } from './customization-error.ts';
import { recordSideEffects } from './side-effects.ts';

export interface LoadedBundle {
  /** The default export of the bundle, or the module itself; it may be any value. */
  readonly exported: unknown;
  /** Remove the timers and process listeners that the bundle created while it was evaluated and while `track` ran. */
  dispose(): void;
  /** Run the user's code with the same recording as the evaluation had. */
  track<Result>(work: () => Result): Result;
}

/**
 * The modules of loaded bundles. Node forgets the source map of a module without references, and then stack traces lose
 * their places.
 */
const loaded = new Set<Module>();

let isPrepared = false;

/**
 * Stack traces map to the user's own lines, and code that is replaced at every save is not kept: V8's compilation
 * cache would hold on to each version.
 */
function prepareOnce(): void {
  if (isPrepared) return;
  isPrepared = true;
  Module.setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
  setFlagsFromString('--no-compilation-cache');
}

/**
 * Evaluate CommonJS code as if it stood at `file` inside the project, so that `require`, `import()` and stack traces
 * resolve from there. Rejects with `CUSTOMIZATION_FAILED` when a module of it throws.
 */
export function evaluateBundle(code: string, file: string): LoadedBundle {
  prepareOnce();
  const effects = recordSideEffects();
  const module = new Module(file) as Module & { _compile(code: string, file: string): unknown; paths: string[] };
  module.filename = file;
  module.paths = (Module as unknown as { _nodeModulePaths(folder: string): string[] })._nodeModulePaths(
    path.dirname(file),
  );
  const dispose = () => {
    effects.undo();
    loaded.delete(module);
  };
  loaded.add(module);
  try {
    effects.record(() => module._compile(code, file));
  } catch (error) {
    dispose();
    throw customizationError(error, 'The customization code', path.dirname(file));
  }
  const exported: unknown = module.exports;
  const hasDefault = typeof exported === 'object' && exported !== null && 'default' in exported;
  return { exported: hasDefault ? exported.default : exported, dispose, track: effects.record };
}
