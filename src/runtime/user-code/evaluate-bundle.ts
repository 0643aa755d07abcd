import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire, registerHooks } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { packageRoot } from '#node/system/package-files';
import { customizationError } from './customization-error.ts';
import { mapPlaces, moduleAt, prepareStackPlaces } from './stack-places.ts';

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
  const effects = trackSideEffects();
  const module = moduleAt(file);
  const forgetPlaces = mapPlaces(code, file);
  const dispose = () => {
    effects.undo();
    forgetPlaces();
  };
  try {
    compileWhole(code, () => effects.track(() => bound(() => module._compile(code, file))));
  } catch (error) {
    // Before the code is forgotten, because its source map tells the place.
    const problem = customizationError(error, 'The customization code', path.dirname(file));
    dispose();
    throw problem;
  }
  const exported: unknown = module.exports;
  const hasDefault = typeof exported === 'object' && exported !== null && 'default' in exported;
  return { exported: hasDefault ? exported.default : exported, dispose, track: effects.track };
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

/** The names of this package and of its parts. */
const ownName = /^@vendor\/cloud(?:\/|$)/;

/**
 * Whoever asks for this package by its name in this thread gets this one from now on. The code of a project may lie where no
 * package is installed, and what it throws and declares must be of the classes that the agent knows. Later calls do nothing.
 */
function provideOwnPackage(): void {
  if (isProvided) return;
  isProvided = true;
  const manifest = path.join(packageRoot, 'package.json');
  const own = createRequire(manifest);
  const ownFolder = pathToFileURL(`${packageRoot}${path.sep}`).href;
  registerHooks({
    resolve(specifier, context, next) {
      if (!ownName.test(specifier) || context.parentURL?.startsWith(ownFolder)) return next(specifier, context);
      // A name of itself is what a package may always resolve.
      return { url: pathToFileURL(own.resolve(specifier)).href, shortCircuit: true };
    },
  });
}

let isProvided = false;

type Listener = (...values: unknown[]) => void;

interface TrackedEffects {
  readonly timers: Set<ReturnType<typeof setTimeout>>;
  readonly listeners: { readonly event: string | symbol; readonly listener: Listener }[];
}

interface SideEffects {
  /** Run `work`; what it creates, and what its promises create later on, is tracked. */
  track<Result>(work: () => Result): Result;
  /** Clear every tracked timer and remove every tracked listener. */
  undo(): void;
}

/** Tells the timers of the user's code from those of the agent, which run in the same thread. */
const current = new AsyncLocalStorage<TrackedEffects>();
let isPatched = false;

/**
 * Tracks the timers and process listeners that some code creates, so that they can be removed when the code is replaced.
 * Otherwise every save would leave its intervals behind, running code that no longer exists.
 */
function trackSideEffects(): SideEffects {
  patchOnce();
  const tracked: TrackedEffects = { timers: new Set(), listeners: [] };
  return {
    track: (work) => current.run(tracked, work),
    undo() {
      for (const timer of tracked.timers) clearTimeout(timer);
      for (const { event, listener } of tracked.listeners) process.off(event, listener);
      tracked.timers.clear();
      tracked.listeners.length = 0;
    },
  };
}

function patchOnce(): void {
  if (isPatched) return;
  isPatched = true;
  globalThis.setTimeout = tracking(globalThis.setTimeout);
  globalThis.setInterval = tracking(globalThis.setInterval);
  process.on('newListener', (event: string | symbol, listener: Listener) => {
    current.getStore()?.listeners.push({ event, listener });
  });
}

function tracking<Timer extends typeof setTimeout | typeof setInterval>(original: Timer): Timer {
  return new Proxy(original, {
    apply(target, self, input) {
      const timer = Reflect.apply(target, self, input) as ReturnType<typeof setTimeout>;
      current.getStore()?.timers.add(timer);
      return timer;
    },
  });
}
