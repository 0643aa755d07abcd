import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { customizationError } from './customization-error.ts';
import { moduleAt } from './module-at.ts';
import { provideOwnPackage } from './own-package.ts';
import { recordSideEffects } from './side-effects.ts';
import { mapPlaces, prepareStackPlaces } from './stack-places.ts';

export interface LoadedBundle {
  /** The default export of the bundle, or the module itself; it may be any value. */
  readonly exported: unknown;
  /** Remove the timers and process listeners that the bundle created while it was evaluated and while `track` ran. */
  dispose(): void;
  /** Run the user's code with the same recording as the evaluation had. */
  track<Result>(work: () => Result): Result;
}

/** Runs synchronous code. */
export type Bound = <Result>(work: () => Result) => Result;

const unbounded: Bound = (work) => work();

let isPrepared = false;

/** What the evaluation of code changes in the process. Later calls do nothing. */
export function prepareEvaluation(): void {
  if (isPrepared) return;
  isPrepared = true;
  prepareStackPlaces();
  provideOwnPackage();
  // V8's cache would hold on to each version of code that is replaced at every save.
  setFlagsFromString('--no-compilation-cache');
}

/**
 * Evaluate CommonJS code as if it stood at `file` inside the project, so that `require`, `import()` and stack traces
 * resolve from there. `@vendor/cloud` is this package, wherever `file` is. Rejects with `CUSTOMIZATION_FAILED` when a module of it throws.
 *
 * @param bound runs the code itself, and may end it in the middle by an error.
 */
export function evaluateBundle(code: string, file: string, bound: Bound = unbounded): LoadedBundle {
  prepareEvaluation();
  const effects = recordSideEffects();
  const module = moduleAt(file);
  const forgetPlaces = mapPlaces(code, file);
  const dispose = () => {
    effects.undo();
    forgetPlaces();
  };
  try {
    compileWhole(code, () => effects.record(() => bound(() => module._compile(code, file))));
  } catch (error) {
    // Before the code is forgotten, because its source map tells the place.
    const problem = customizationError(error, 'The customization code', path.dirname(file));
    dispose();
    throw problem;
  }
  const exported: unknown = module.exports;
  const hasDefault = typeof exported === 'object' && exported !== null && 'default' in exported;
  return { exported: hasDefault ? exported.default : exported, dispose, track: effects.record };
}

/** The first evaluation also loads what the code requires. */
let isFirst = true;

/**
 * Compile what `compile` runs whole, where V8 compiles functions when they are called. Functions in functions are then parsed once
 * and not once for each level, which halves the time of code that mostly runs. Most code of packages never runs.
 */
function compileWhole<Result>(code: string, compile: () => Result): Result {
  const isLazy = isFirst || code.includes('node_modules/');
  isFirst = false;
  if (isLazy) return compile();
  setFlagsFromString('--no-lazy');
  try {
    return compile();
  } finally {
    setFlagsFromString('--lazy');
  }
}
