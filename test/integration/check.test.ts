import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { check } from '#flows/check/check';
import { checkSchema, writeSchema } from '#flows/schema/schema';
import { checkTypings, updateTypings } from '#flows/schema/update-typings';
import { codeThatSays, type PushingProject, startPushingProject } from '../helpers/pushing-project.ts';
import { writeFiles } from '../helpers/write-files.ts';

/** A project in which everything is as `check` wants it. */
async function goodProject(): Promise<PushingProject> {
  const project = await startPushingProject();
  await updateTypings(project.context, project.root);
  await writeSchema(project.context, project.root);
  return project;
}

async function statesOf({ context, root }: PushingProject, against?: 'database') {
  const { isPassed, steps } = await check(context, { folder: root, against });
  return { isPassed, ...Object.fromEntries(steps.map(({ name, state }) => [name, state])) };
}

async function changeTable({ context, root }: PushingProject, statement: string): Promise<void> {
  const database = await context.openDatabase(path.join(root, 'notes.sqlite'));
  database.execute(statement);
  database.close();
}

describe('a check', () => {
  it('passes a project that can be pushed, with and without its databases', async () => {
    const project = await goodProject();
    const passed = { isPassed: true, bundle: 'passed', load: 'passed', typings: 'passed', permissions: 'skipped' };
    expect(await statesOf(project, 'database')).toMatchObject({ ...passed, schema: 'passed' });
    await rm(path.join(project.root, 'notes.sqlite'));
    expect(await statesOf(project)).toMatchObject({ ...passed, schema: 'skipped' });
  });

  it('warns of patterns that may take long', async () => {
    const project = await goodProject();
    await project.write(
      codeThatSays('x').replace('(notes) =>', '(notes) => notes.addFieldValidation("text", "Match", /^(?!a)b+$/) &&'),
    );
    const { isPassed, steps } = await check(project.context, { folder: project.root });
    expect([isPassed, steps.find(({ name }) => name === 'load')?.warnings]).toEqual([
      true,
      [expect.stringContaining('/^(?!a)b+$/ in the validation of "text" of "notes"')],
    ]);
    const database = new DatabaseSync(path.join(project.root, 'notes.sqlite'));
    database.function('regexp', (_pattern, _text) => 1);
    database.exec("create table codes (id integer primary key, code text check (code regexp '^(a+)\\1$'))");
    database.close();
    const again = await check(project.context, { folder: project.root, against: 'database' });
    expect(again.steps.find(({ name }) => name === 'load')?.warnings?.[1]).toContain(
      'in the check of "code" of "codes"',
    );
  });

  it('finds all that is wrong in one go, each with its place', async () => {
    const project = await goodProject();
    const rights = { roles: { Support: { collections: { notes: { brows: true } } } } };
    await writeFiles(project.root, { 'permissions.json': JSON.stringify(rights) });
    await project.write(codeThatSays('x').replace("['text']", "['txet']"));
    const { isPassed, steps } = await check(project.context, { folder: project.root });
    expect(isPassed).toBe(false);
    expect(
      steps.flatMap(({ name, problems }) => problems.map(({ code, location }) => [name, code, location?.file])),
    ).toEqual([
      ['load', 'CUSTOMIZATION_INVALID', path.join(project.root, 'src/index.ts')],
      ['permissions', 'PERMISSION_FILE_INVALID', path.join(project.root, 'permissions.json')],
    ]);
  });

  it('finds what is wrong with a dashboard: its format and its names', async () => {
    const project = await goodProject();
    const chart = { title: 'Notes', collection: 'notes', type: 'Value', aggregator: 'Count' };
    const problemsOf = async (charts: unknown) => {
      await writeFiles(project.root, { 'dashboards/all.json': JSON.stringify({ title: 'All', charts }, null, 1) });
      const { steps } = await check(project.context, { folder: project.root });
      return steps.flatMap(({ name, problems }) =>
        problems.map(({ code, message, location }) => [
          name,
          code,
          location?.line,
          /Did you mean.*/.exec(message)?.[0],
        ]),
      );
    };
    expect(await problemsOf([chart])).toEqual([]);
    const wrong = ['DASHBOARD_INVALID', 4];
    expect(await problemsOf([{ ...chart, collection: 'note' }])).toEqual([['load', ...wrong, 'Did you mean "notes"?']]);
    expect(await problemsOf([{ agregator: 'Sum', ...chart }])).toEqual([
      ['bundle', 'DASHBOARD_INVALID', 5, 'Did you mean "aggregator"?'],
    ]);
  });

  it('stops at code that does not build', async () => {
    const project = await goodProject();
    await project.write('export default () => {');
    expect(await statesOf(project)).toEqual({ isPassed: false, bundle: 'failed' });
  });

  it('finds generated files that a change of the tables has left behind', async () => {
    const project = await goodProject();
    await changeTable(project, 'alter table notes add column color text');
    expect(await statesOf(project, 'database')).toMatchObject({ isPassed: false, typings: 'failed', schema: 'failed' });
  });
});

describe('a check of generated files', () => {
  it('against a schema.json that is behind the databases names the command that fixes it', async () => {
    const project = await goodProject();
    await changeTable(project, 'alter table notes add column color text');
    await updateTypings(project.context, project.root);
    const { steps } = await check(project.context, { folder: project.root });
    const advice = steps.flatMap(({ problems }) => problems.flatMap(({ nextSteps }) => nextSteps));
    expect(advice[0]).toMatch(/vendor-cloud schema$/);
    await writeSchema(project.context, project.root);
    expect(await statesOf(project)).toMatchObject({ isPassed: true, typings: 'passed' });
  });

  it("says that the compiler cannot read packages of Yarn Plug'n'Play, and not that there is none", async () => {
    const project = await goodProject();
    await writeFiles(project.root, { 'tsconfig.json': '{}', '.pnp.cjs': '', 'node_modules/.vite/kept.json': '' });
    const { steps } = await check(project.context, { folder: project.root });
    expect(steps.find(({ name }) => name === 'types')).toMatchObject({
      state: 'skipped',
      note: expect.stringContaining('nodeLinker: node-modules'),
    });
  });

  it('tells how the tables differ from schema.json, and writes nothing', async () => {
    const project = await goodProject();
    const file = path.join(project.root, 'schema.json');
    const before = await readFile(file, 'utf8');
    expect(await checkSchema(project.context, project.root)).toMatchObject({ isCurrent: true, tables: 1, changes: [] });
    await changeTable(project, "alter table notes add column color text not null default 'red'");
    await changeTable(project, 'alter table notes rename column text to body');
    expect((await checkSchema(project.context, project.root)).changes).toMatchObject([
      { change: 'added', part: { kind: 'field', name: 'body' }, isBreaking: true },
      { change: 'added', part: { kind: 'field', name: 'color' }, isBreaking: false },
      { change: 'removed', part: { kind: 'field', name: 'text' }, isBreaking: true },
    ]);
    expect(await readFile(file, 'utf8')).toBe(before);
    await writeSchema(project.context, project.root);
    expect(await checkSchema(project.context, project.root)).toMatchObject({ isCurrent: true });
  });

  it('keeps foreign keys in schema.json, and what a deletion does to the records that have them', async () => {
    const project = await goodProject();
    const lines = (rule: string) =>
      `create table lines (id integer primary key, note_id integer references notes (id) ${rule})`;
    await changeTable(project, lines('on delete cascade'));
    await writeSchema(project.context, project.root);
    expect(await checkSchema(project.context, project.root)).toMatchObject({ isCurrent: true, tables: 2, changes: [] });
    await changeTable(project, 'drop table lines');
    await changeTable(project, lines('on delete set null'));
    expect(await checkSchema(project.context, project.root)).toMatchObject({
      isCurrent: false,
      changes: [{ collection: 'lines', part: { kind: 'relation' }, facts: ['on delete: cascade → unlink'] }],
    });
  });

  it('writes schema.json the same each time, and again where it is damaged', async () => {
    const project = await goodProject();
    const file = path.join(project.root, 'schema.json');
    const before = await readFile(file, 'utf8');
    await writeFile(file, before.slice(0, 100));
    await expect(checkSchema(project.context, project.root)).rejects.toMatchObject({ code: 'SCHEMA_FILE_INVALID' });
    await writeSchema(project.context, project.root);
    expect(await readFile(file, 'utf8')).toBe(before);
    // The table and its two columns have a line each.
    expect(before.split('\n').filter((line) => line.trim().startsWith('{"name":"'))).toHaveLength(3);
  });

  it('tells how the types differ from the databases and the code', async () => {
    const project = await goodProject();
    expect(await checkTypings(project.context, project.root)).toMatchObject({ isCurrent: true, changes: [] });
    await changeTable(project, 'alter table notes add column color text');
    expect(await checkTypings(project.context, project.root)).toMatchObject({
      isCurrent: false,
      changes: [{ change: 'added', collection: 'notes', part: { kind: 'field', name: 'color' } }],
    });
  });
});
