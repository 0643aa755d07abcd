import { createContext, Script } from 'node:vm';
import type { RE2JS } from 're2js';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { linearSyntax } from './linear-syntax.ts';
import { createPlanCache } from './plan-cache.ts';

type TextTest = (text: string) => boolean;

/** How long a pattern without a linear form may look at one text. */
const longestMs = 100;
/** No pattern that anybody writes takes longer for so few characters. */
const shortText = 16;
const repeats = /[*+{]/;
const halves = /[\ud800-\udfff]/;

const maxKept = 500;
/** Validations ask for the same ones with each record. */
const tests = createPlanCache<TextTest>(maxKept);

/**
 * A regular expression as a test of texts. The engine of JavaScript tries all ways to match, which may take longer than anybody waits.
 * What repeats nothing runs there all the same. What RE2 takes runs in time that grows with the text, once that engine is loaded. The
 * rest is stopped when its time is up, and then the test throws `REQUEST_TOO_COSTLY`.
 */
export function textPattern(pattern: RegExp | string): TextTest {
  // A pattern keeps its own position when it is global or sticky, so a copy without either is asked.
  const { source, flags } =
    typeof pattern === 'string'
      ? { source: pattern, flags: 'u' }
      : { source: pattern.source, flags: pattern.flags.replaceAll(/[gy]/g, '') };
  return tests.memo(`${flags}/${source}`, { context: () => testOf(new RegExp(source, flags)) });
}

/** Whether a pattern is stopped when its time is up, because it has no linear form. */
export function isBoundedByTime(pattern: RegExp): boolean {
  return repeats.test(pattern.source) && linearSyntax(pattern) === undefined;
}

let engine: typeof RE2JS | undefined;
let loading: Promise<void> | undefined;

/** It takes 20 ms, and few projects have a pattern. */
export function loadLinearEngine(): Promise<void> {
  loading ??= import('re2js').then((loaded) => {
    engine = loaded.RE2JS;
  });
  return loading;
}

function testOf(expression: RegExp): TextTest {
  if (!repeats.test(expression.source)) return (text) => expression.test(text);
  const bounded = boundedTest(expression);
  const syntax = linearSyntax(expression);
  if (syntax === undefined) return bounded;
  let linear: TextTest | undefined;
  return (text) => {
    if (engine) linear ??= linearTest(engine, syntax) ?? bounded;
    else void loadLinearEngine();
    // Without the flag `u` such a character counts as two, and RE2 knows no half characters.
    const isPlain = !halves.test(text) || (expression.unicode && text.isWellFormed());
    return linear && isPlain ? linear(text) : bounded(text);
  };
}

/** `undefined` for a pattern that repeats more often than RE2 counts. */
function linearTest(re2: typeof RE2JS, syntax: string): TextTest | undefined {
  try {
    const compiled = re2.compile(syntax);
    return (text) => compiled.test(text);
  } catch {
    return undefined;
  }
}

function boundedTest(expression: RegExp): TextTest {
  return (text) => {
    if (text.length <= shortText) return expression.test(text);
    const { place, script } = stoppable();
    Object.assign(place, { expression, text });
    try {
      return script.runInContext(place, { timeout: longestMs }) === true;
    } catch (error) {
      throw isTimeout(error) ? tooSlow(expression, text) : error;
    }
  };
}

let kept: { readonly place: object; readonly script: Script } | undefined;

/** Where code runs that may be stopped. */
function stoppable() {
  kept ??= { place: createContext({}), script: new Script('expression.test(text)') };
  return kept;
}

/** The error belongs to that place, and is not an instance of an `Error` of this one. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

function tooSlow({ source }: RegExp, { length }: string): CloudError {
  return cloudError(
    'REQUEST_TOO_COSTLY',
    `A pattern of the project takes longer than ${longestMs} ms for a text of ${length} characters.`,
    [
      'Send a shorter text.',
      'Write the pattern without repetitions inside of repetitions, and without looking around.',
    ],
    { safeDetails: { pattern: source } },
  );
}
