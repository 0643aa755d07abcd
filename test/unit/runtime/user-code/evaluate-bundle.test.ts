import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { evaluateBundle } from '../../../../src/runtime/user-code/evaluate-bundle.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { writeFiles } from '../../../helpers/write-files.ts';

const evaluate = (code: string, folder = '/nowhere') => evaluateBundle(code, path.join(folder, 'customization.cjs'));

const bundled = `
  import { transformSync } from 'esbuild';
  import { evaluateBundle } from '#runtime/user-code/evaluate-bundle';
  const bundle = (source) =>
    transformSync(source, { loader: 'ts', format: 'cjs', sourcemap: 'inline', sourcefile: 'index.ts' }).code;
  const evaluate = (source) => evaluateBundle(bundle(source), '/nowhere/customization.cjs');
  const thrower = (lines) => 'type Unused = string;' + '\\n'.repeat(lines) + 'export default () => { throw new Error("no luck"); };';
  const showPlace = (work) => {
    try { work(); } catch (error) { console.log((error.cause ?? error).stack.split('\\n')[1]); }
  };
`;

/** Run a script in a process of its own, because the test runner formats stack traces itself. Gives what it prints. */
async function printed(script: string): Promise<string> {
  const options = ['--conditions=vendor-source', '--expose-gc', '--input-type=module', '--eval', bundled + script];
  const { stdout } = await execa(process.execPath, options, { cwd: path.resolve(import.meta.dirname, '../../../..') });
  return stdout;
}

describe('evaluateBundle', () => {
  it('keeps the places of the source as long as the bundle is loaded', async () => {
    const stdout = await printed(`
      const { exported } = evaluate(thrower(3));
      for (let round = 0; round < 5; round++) {
        gc();
        await new Promise((resolve) => setTimeout(resolve, 10));
        showPlace(exported);
      }
    `);
    expect(stdout.match(/\/nowhere\/index\.ts:4:\d+/g)).toHaveLength(5);
  });

  it('names the places of the newest code, and of the code before when the newest does not load', async () => {
    const stdout = await printed(`
      const first = evaluate(thrower(3));
      showPlace(first.exported);
      const second = evaluate(thrower(7));
      showPlace(second.exported);
      showPlace(() => evaluate('\\n\\n\\n\\nthrow new Error("no luck");'));
      showPlace(second.exported);
    `);
    expect(stdout.match(/index\.ts:\d+/g)).toEqual(['index.ts:4', 'index.ts:8', 'index.ts:5', 'index.ts:8']);
  });

  it('names the places of the code before when other code ended without a stack trace', async () => {
    const stdout = await printed(`
      const first = evaluate(thrower(3));
      showPlace(first.exported);
      try { evaluate('throw "a text";'); } catch {}
      showPlace(first.exported);
    `);
    expect(stdout.match(/index\.ts:\d+/g)).toEqual(['index.ts:4', 'index.ts:4']);
  });

  it('formats stack traces of code without a map', async () => {
    const stdout = await printed(`
      const { exported } = evaluateBundle('exports.default = () => { throw new Error("no luck"); }', '/nowhere/customization.cjs');
      showPlace(exported);
    `);
    expect(stdout).toMatch(/customization\.cjs:1:\d+/);
  });

  it('leaves the map in the code, where debuggers look for it', async () => {
    const stdout = await printed(`
      import { Session } from 'node:inspector';
      const session = new Session();
      session.connect();
      session.on('Debugger.scriptParsed', ({ params }) => {
        if (params.url.endsWith('customization.cjs')) console.log(params.sourceMapURL.slice(0, 29));
      });
      session.post('Debugger.enable');
      evaluate(thrower(3));
    `);
    expect(stdout).toBe('data:application/json;base64,');
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

  it('loads code of packages and own code alike, the second time too', () => {
    const own = 'const twice = (value) => value * 2;\nexports.default = twice(4);';
    for (const code of [own, own, `// node_modules/twice/index.js\n${own}`]) expect(evaluate(code).exported).toBe(8);
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
