import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '#flows/build/build';
import { check } from '#flows/check/check';
import type { FlowContext } from '#flows/flow-context';
import { push } from '#flows/push/push';
import { silentReporter } from '#kernel/ports/reporter';
import { type PushingProject, startPushingProject } from '../helpers/pushing-project.ts';
import { writeFiles } from '../helpers/write-files.ts';

async function projectWith(code: string, files: Record<string, string> = {}): Promise<PushingProject> {
  const project = await startPushingProject();
  await project.write(code);
  await writeFiles(project.root, files);
  return project;
}

/** The context of a project, and the warnings of what it is used for. */
function listening({ context }: PushingProject): { readonly context: FlowContext; readonly warnings: string[] } {
  const warnings: string[] = [];
  const warn = (message: string, nextStep?: string) => void warnings.push(`${message} → ${nextStep ?? ''}`);
  return { context: { ...context, reporter: { ...silentReporter, warn } }, warnings };
}

const caught = (work: Promise<unknown>) => work.catch((error: unknown) => error);
const noCode = 'export default () => undefined;';

describe('a module that no host has', () => {
  it.each([
    [
      'a part of the package that does not exist',
      `import '@vendor/cloud/plugin-flatener'; ${noCode}`,
      'plugin-flattener',
    ],
    [
      'a file that is looked up by require.resolve',
      `const file = require.resolve('left-pad'); ${noCode} file;`,
      'left-pad',
    ],
    [
      'a module of the web',
      `export default async () => void (await import('https://example.test/x.js'));`,
      'example.test',
    ],
    ['native code', `import native from './native.node'; ${noCode} native;`, 'native.node'],
  ])('refuses %s at build, check and push, with the place', async (_, code, name) => {
    const project = await projectWith(`\n${code}`, { 'src/native.node': 'not really' });
    const { context, root } = project;
    const refusal = {
      code: 'BUILD_MODULE_MISSING',
      message: expect.stringContaining(name),
      nextSteps: [expect.any(String)],
      location: expect.objectContaining({ file: path.join(root, 'src/index.ts'), line: 2 }),
    };
    expect(await caught(build(context, { folder: root }))).toMatchObject(refusal);
    expect(await caught(push(context, { folder: root, message: '', isDeployed: false }))).toMatchObject(refusal);
    expect((await check(context, { folder: root })).steps).toMatchObject([
      { name: 'bundle', state: 'failed', problems: [refusal] },
    ]);
  });

  it('says it of the native code of a package that the project installed', async () => {
    const { context, root } = await projectWith(`import { size } from 'fast-image'; ${noCode} size;`, {
      'node_modules/fast-image/package.json': '{"name":"fast-image","version":"1.0.0","main":"index.js"}',
      'node_modules/fast-image/index.js': `exports.size = require('./build/fast.node').size;`,
      'node_modules/fast-image/build/fast.node': 'not really',
    });
    expect(await caught(build(context, { folder: root }))).toMatchObject({
      code: 'BUILD_MODULE_MISSING',
      message: expect.stringContaining('"fast-image" has native code'),
      nextSteps: [expect.stringContaining('docs/embedding.md')],
    });
  });
});

describe('a module that a host may lack', () => {
  it('warns at build, check and push, with file and line, and goes on', async () => {
    const project = await projectWith(
      `import { createAiProvider } from '@vendor/cloud/ai-proxy';
       let fast; try { fast = require('fast-but-absent'); } catch {}
       const folder = import.meta.dirname;
       export const later = (name) => import(name);
       export default () => void [createAiProvider, fast, folder];`,
    );
    const { root } = project;
    for (const work of [
      (context: FlowContext) => build(context, { folder: root }),
      (context: FlowContext) => check(context, { folder: root }),
      (context: FlowContext) => push(context, { folder: root, message: '', isDeployed: false }),
    ]) {
      const { context, warnings } = listening(project);
      await work(context);
      expect(warnings.filter((line) => line.startsWith('src/index.ts:')).sort()).toEqual([
        expect.stringMatching(
          /^src\/index\.ts:1:\d+: "@vendor\/cloud\/ai-proxy" needs the package openai.*docs\/deploy\.md/,
        ),
        expect.stringMatching(/^src\/index\.ts:2:\d+: "fast-but-absent" is not installed/),
        expect.stringMatching(/^src\/index\.ts:3:\d+: .*"import\.meta"/),
        expect.stringMatching(/^src\/index\.ts:4:\d+: The module that is loaded here is known only when/),
      ]);
    }
  });

  it('warns of packages that look for their native code when they run', async () => {
    const project = await projectWith(`import { size } from 'fast-image'; ${noCode} size;`, {
      'node_modules/fast-image/package.json': '{"name":"fast-image","version":"1.0.0","main":"index.js"}',
      'node_modules/fast-image/index.js': `exports.size = require('bindings')('fast.node').size;`,
      'node_modules/bindings/package.json': '{"name":"bindings","version":"1.5.0","main":"index.js"}',
      'node_modules/bindings/index.js': 'module.exports = () => ({});',
    });
    const { context, warnings } = listening(project);
    await build(context, { folder: project.root });
    expect(warnings).toEqual([expect.stringContaining('"fast-image" has native code')]);
  });

  it('says nothing of what the built code holds: packages, JSON however it is imported, and modules of Node.js', async () => {
    const project = await projectWith(
      `import data from './data.json' with { type: 'json' };
       import { readFile } from 'node:fs/promises';
       import os from 'os';
       import { size } from 'fast-image';
       const again = require('./data.json');
       const oneOf = (name) => import(\`./texts/\${name}.json\`);
       export default async (agent) => {
         const later = await import('./data.json', { with: { type: 'json' } });
         const text = await oneOf('a');
         if (data.a + again.a + later.default.a + text.default.b + size !== 8) throw new Error('JSON is lost');
         return [readFile, os];
       };`,
      {
        'src/data.json': '{"a":1}',
        'src/texts/a.json': '{"b":2}',
        'node_modules/fast-image/package.json': '{"name":"fast-image","version":"1.0.0","main":"index.js"}',
        'node_modules/fast-image/index.js': `try { require('optional-helper'); } catch {} exports.size = 3;`,
      },
    );
    const { context, warnings } = listening(project);
    await push(context, { folder: project.root, message: '', isDeployed: true });
    expect(warnings.filter((line) => !line.includes('types are not checked'))).toEqual([]);
  });
});
