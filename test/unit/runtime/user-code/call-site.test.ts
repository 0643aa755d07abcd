import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CallSite, firstFrame } from '#runtime/user-code/call-site';

const frames = (...places: readonly string[]) =>
  ['Error: no', ...places.map((place) => `    at call (${place})`)].join('\n');

describe('the first frame of a stack', () => {
  const app = { file: '/srv/app/src/agent.ts', line: 12, column: 4 };

  it.each([
    ['the sources of the package', path.resolve('src/runtime/agent/create-agent.ts')],
    ['an address of them', pathToFileURL(path.resolve('src/exports/agent.ts')).href],
    ['the package in the modules of an application', '/srv/app/node_modules/@vendor/cloud/dist/exports/agent.js'],
    ['the package in a store of modules', '/x/.pnpm/@vendor+cloud@1.0.0/node_modules/@vendor/cloud/dist/index.js'],
    ['Node.js', 'node:internal/process/task_queues'],
  ])('is never in %s', (_where, file) => {
    expect(firstFrame(frames(`${file}:3:9`, '/srv/app/src/agent.ts:12:4'))).toEqual(app);
  });

  it('may be in another package of the same maker', () => {
    const file = '/srv/app/node_modules/@vendor/cloud-audit/index.js';
    expect(firstFrame(frames(`${file}:1:2`))).toEqual({ file, line: 1, column: 2 });
  });

  it('is nowhere when nobody else has called', () => {
    expect(firstFrame(frames(`${path.resolve('src/cli/main.ts')}:3:9`))).toBeUndefined();
  });
});

describe('a call site', () => {
  it('looks its place up when somebody asks for it', () => {
    const { prepareStackTrace } = Error;
    onTestFinished(() => {
      Error.prepareStackTrace = prepareStackTrace;
    });
    let lookedUp = 0;
    Error.prepareStackTrace = () => {
      lookedUp += 1;
      return 'Error\n    at customize (/srv/app/src/agent.ts:12:4)';
    };
    const called = (): CallSite => new CallSite(called);
    const site = called();
    expect(lookedUp).toBe(0);
    expect(site.location).toEqual({ file: '/srv/app/src/agent.ts', line: 12, column: 4 });
    expect(lookedUp).toBe(1);
  });

  it('keeps few frames of a deep stack, and does not touch the limit of others', () => {
    const { prepareStackTrace, stackTraceLimit } = Error;
    onTestFinished(() => {
      Error.prepareStackTrace = prepareStackTrace;
    });
    let frames = 0;
    Error.prepareStackTrace = (_error, callSites) => {
      frames = callSites.length;
      return 'Error\n    at customize (/srv/app/src/agent.ts:12:4)';
    };
    const called = (depth: number): CallSite => (depth > 0 ? called(depth - 1) : new CallSite(called));
    const around = (depth: number): CallSite => (depth > 0 ? around(depth - 1) : called(0));
    expect(around(20).location?.file).toBe('/srv/app/src/agent.ts');
    expect(frames).toBeGreaterThan(0);
    expect(frames).toBeLessThan(stackTraceLimit);
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
  });
});
