import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** As `gc` of V8 takes them: `minor` collects new objects alone; the flavor `last-resort` also gives free memory back. */
export type Collection =
  | { readonly type: 'minor'; readonly execution: 'sync' }
  | { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' };

let collect: ((collection: Collection) => void) | undefined;

/** Collect garbage of this thread now. The first call takes a millisecond more. */
export function collectGarbage(collection: Collection): void {
  collect ??= garbageCollector();
  collect(collection);
}

/** Node.js hands the collector out with a flag of V8 alone, and only contexts that are made later have it. */
function garbageCollector(): (collection: Collection) => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as (collection: Collection) => void;
}
