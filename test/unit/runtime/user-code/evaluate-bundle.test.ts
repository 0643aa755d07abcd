import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { evaluateBundle } from '../../../../src/runtime/user-code/evaluate-bundle.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { writeFiles } from '../../../helpers/write-files.ts';

const evaluate = (code: string, folder = '/nowhere') => evaluateBundle(code, path.join(folder, 'customization.cjs'));

/** In a process of its own: the test runner formats stack traces itself. */
const throwsAfterCollection = `
  import { transformSync } from 'esbuild';
  import { evaluateBundle } from '#runtime/user-code/evaluate-bundle';
  const source = 'type Unused = string;\\n\\nexport default () => {\\n  throw new Error("no luck");\\n};';
  const { code } = transformSync(source, { loader: 'ts', format: 'cjs', sourcemap: 'inline', sourcefile: 'index.ts' });
  const { exported } = evaluateBundle(code, '/nowhere/customization.cjs');
  for (let round = 0; round < 5; round++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  try { exported(); } catch (error) { console.log(error.stack.split('\\n')[1]); }
`;

describe('evaluateBundle', () => {
  it('keeps the places of the source as long as the bundle is loaded', async () => {
    const options = [
      '--conditions=vendor-source',
      '--expose-gc',
      '--input-type=module',
      '--eval',
      throwsAfterCollection,
    ];
    const { stdout } = await execa(process.execPath, options, {
      cwd: path.resolve(import.meta.dirname, '../../../..'),
    });
    expect(stdout).toContain('/nowhere/index.ts:4:9');
  });

  it('gives the default export, or the module itself', () => {
    expect(evaluate('exports.default = 7;').exported).toBe(7);
    expect(evaluate('module.exports = () => 8;').exported).toBeTypeOf('function');
  });

  it('resolves packages from the folder of the project', async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, { 'node_modules/greet/index.js': "module.exports = 'hello';" });
    expect(evaluate("exports.default = require('greet');", folder).exported).toBe('hello');
  });

  it('says that the code threw while it was loaded', () => {
    expect(() => evaluate("throw new Error('no luck');")).toThrow(
      expect.objectContaining({ code: 'CUSTOMIZATION_FAILED' }),
    );
  });

  it('removes the timers and listeners of the code, and only those, when it is disposed of', async () => {
    const before = process.listenerCount('warning');
    let ticks = 0;
    const own = setInterval(() => ticks++, 1);
    Object.assign(globalThis, { testTick: () => Object.assign(globalThis, { testTicked: true }) });
    const bundle = evaluate("setInterval(() => globalThis.testTick(), 1); process.on('warning', () => {});");
    expect(process.listenerCount('warning')).toBe(before + 1);
    bundle.dispose();
    const ticksThen = ticks;
    await new Promise((resolve) => setTimeout(resolve, 30));
    clearInterval(own);
    expect(process.listenerCount('warning')).toBe(before);
    expect(ticks).toBeGreaterThan(ticksThen);
    expect(globalThis).not.toHaveProperty('testTicked');
  });

  it('records what tracked work creates after an await', async () => {
    const bundle = evaluate('');
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    await bundle.track(async () => {
      await Promise.resolve();
      setInterval(() => undefined, 1_000);
    });
    bundle.dispose();
    expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length).toBe(before);
  });
});
