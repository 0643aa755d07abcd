import { describe, expect, it } from 'vitest';
import { DevLoop, type DevLoopInput } from '#flows/dev/dev-loop';
import { cloudError } from '#kernel/errors/cloud-error';
import { systemClock } from '#node/system/system-clock';

/** A loop over one file, whose builds read it when they begin and end when the test says so. */
function createLoop() {
  const file = { text: 'first' };
  const builds: { end(): void }[] = [];
  const loaded: string[] = [];
  const told: string[] = [];
  const types: string[] = [];
  const input: DevLoopInput = {
    clock: systemClock,
    bundler: {
      build() {
        const code = file.text;
        return new Promise((resolve) =>
          builds.push({ end: () => resolve({ code, bytes: new TextEncoder().encode(code), inputs: [] }) }),
        );
      },
      dispose: async () => undefined,
    },
    agent: {
      async load(code) {
        loaded.push(code);
        const problem = /^broken: (.*)/.exec(code)?.[1];
        if (problem) throw cloudError('INTERNAL_BUG', problem);
        return { collections: [], warnings: [], suggestedSettings: {} };
      },
      replace: async () => undefined,
      followTables: async () => undefined,
      tells: () => false,
      isServing: true,
    },
    configFiles: new Set(),
    permissionFile: '/project/permissions.json',
    applyPermissions: async () => {
      if (file.text.startsWith('rights'))
        return { path: '/project/permissions.json', revision: 2, leftOut: [], rolesLeftOut: [] };
      return undefined;
    },
    reopenProject: async () => undefined,
    types: { check: () => void types.push('check'), cancel: () => void types.push('cancel') },
    watchInputs: () => undefined,
    writeTypings: async () => undefined,
    tell: (event) => void told.push(event.event === 'error' ? event.error.message : event.event),
  };
  const loop = new DevLoop(input);
  const save = (text: string) => {
    file.text = text;
    loop.filesChanged(['index.ts']);
  };
  /** A file begins to change; the end of its changes is up to the test. */
  const stir = (text: string) => {
    file.text = text;
    loop.filesStirring();
  };
  /** Everything that can happen until a build ends. */
  const settled = () => new Promise(setImmediate);
  const endBuild = async () => {
    await settled();
    builds.shift()?.end();
    await settled();
  };
  return { loop, builds, loaded, told, types, save, stir, settled, endBuild };
}

async function createRunningLoop() {
  const created = createLoop();
  const began = created.loop.begin();
  await created.endBuild();
  await began;
  return created;
}

describe('the dev loop', () => {
  it('loads code that was built, and not again what is unchanged', async () => {
    const { loaded, save, endBuild } = await createRunningLoop();
    save('second');
    await endBuild();
    save('second');
    await endBuild();
    expect(loaded).toEqual(['first', 'second']);
  });

  it('checks types once something is loaded or nothing has changed, and stops that when files change', async () => {
    const { types, save, stir, endBuild } = await createRunningLoop();
    for (const text of ['second', 'second', 'broken: one']) {
      types.length = 0;
      stir(text);
      expect(types).toEqual(['cancel']);
      types.length = 0;
      // A burst may end without a stir.
      save(text);
      await endBuild();
      await endBuild();
      expect(types).toEqual(text.startsWith('broken') ? ['cancel'] : ['cancel', 'check']);
    }
  });

  it('tells an error once until something about it changes, or a reload is asked for', async () => {
    const { loop, told, save, endBuild } = await createRunningLoop();
    for (const text of ['broken: one', 'broken: one', 'broken: two', 'good', 'broken: two']) {
      save(text);
      await endBuild();
    }
    expect(told).toEqual(['one', 'two', 'reloaded', 'two']);
    loop.reload();
    await endBuild();
    expect(told.at(-1)).toBe('two');
    expect(told).toHaveLength(5);
  });

  it('applies the rights of the project when their file is saved, and builds nothing', async () => {
    const { loop, told, builds, save, settled, endBuild } = await createRunningLoop();
    save('rights');
    await endBuild();
    const before = [...told];
    loop.filesChanged(['/project/permissions.json']);
    await settled();
    expect([told.slice(before.length), builds]).toEqual([['permissions'], []]);
  });

  it('does a reload that was asked for when a save without a change overtakes its build', async () => {
    const { loop, loaded, save, settled, endBuild } = await createRunningLoop();
    loop.reload();
    await settled();
    save('first');
    await endBuild();
    await endBuild();
    expect(loaded).toEqual(['first', 'first']);
  });

  it('builds again after a build during which a file was saved, never beside it', async () => {
    const { builds, loaded, save, settled, endBuild } = await createRunningLoop();
    save('second');
    await settled();
    save('third');
    save('fourth');
    await settled();
    expect(builds).toHaveLength(1);
    await endBuild();
    await endBuild();
    expect(loaded).toEqual(['first', 'fourth']);
    expect(builds).toEqual([]);
  });

  it('loads what was saved while the first load was on its way', async () => {
    const { loop, loaded, save, endBuild } = createLoop();
    const began = loop.begin();
    save('second');
    await endBuild();
    await began;
    await endBuild();
    expect(loaded).toEqual(['first', 'second']);
  });

  it('takes the build that it began with the first sign of a change, when nothing changed since', async () => {
    const { loop, builds, loaded, stir, endBuild } = await createRunningLoop();
    stir('second');
    await endBuild();
    expect(loaded).toEqual(['first']);
    loop.filesChanged(['index.ts'], true);
    await endBuild();
    expect(loaded).toEqual(['first', 'second']);
    expect(builds).toEqual([]);
  });

  it('builds again what changed after the first sign', async () => {
    const { loaded, stir, save, endBuild } = await createRunningLoop();
    stir('half');
    await endBuild();
    save('second');
    await endBuild();
    expect(loaded).toEqual(['first', 'second']);
  });

  it('loads the newest code when changes follow each other faster than builds', async () => {
    const { loop, loaded, stir, settled, endBuild } = await createRunningLoop();
    stir('second');
    await settled();
    loop.filesChanged(['index.ts'], true);
    stir('third');
    loop.filesChanged(['index.ts'], true);
    await endBuild();
    await endBuild();
    expect(loaded).toEqual(['first', 'third']);
  });
});
