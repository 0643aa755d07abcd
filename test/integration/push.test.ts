import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { deploy } from '#flows/deployments/deploy';
import { push } from '#flows/push/push';
import { writeSchema } from '#flows/schema/schema';
import { catalogue } from '#kernel/errors/catalogue';
import type { CloudError } from '#kernel/errors/cloud-error';
import { connectHost } from '#platform-client/host-client';
import { eventually } from '../helpers/eventually.ts';
import { startLosingProxy } from '../helpers/losing-proxy.ts';
import { codeThatSays, type PushingProject, startPushingProject } from '../helpers/pushing-project.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { untilTimeGoesOn } from '../helpers/until-time-goes-on.ts';
import { writeFiles } from '../helpers/write-files.ts';

const compiler = path.resolve(import.meta.dirname, '../../node_modules/typescript');

function pushOf({ context, root }: PushingProject, change: Partial<Parameters<typeof push>[1]> = {}) {
  return push(context, { folder: root, message: '', isDeployed: true, ...change });
}

async function refusalOf(pushing: Promise<unknown>): Promise<CloudError> {
  const error = await pushing.then(
    () => new Error('It was pushed.'),
    (thrown: unknown) => thrown,
  );
  return error as CloudError;
}

async function versionsOf({ client }: PushingProject): Promise<number> {
  return (await client.listVersions()).versions.length;
}

async function deploymentsOf({ client }: PushingProject): Promise<number> {
  return (await client.listDeployments()).deployments.length;
}

describe('a push', () => {
  it('is live when it ends, and names what it is made of', async () => {
    const project = await startPushingProject();
    const pushed = await pushOf(project, { message: 'first' });
    expect(pushed).toMatchObject({
      isUnchanged: false,
      environment: 'development',
      version: { number: 1, message: 'first' },
      deployment: { number: 1, state: 'live' },
      packages: [{ package: null }],
    });
    expect((await project.client.listDeployments()).live).toBe(1);
  });

  it('refuses a message that is too long before it builds anything', async () => {
    const project = await startPushingProject();
    await project.write('this is not code');
    const error = await refusalOf(pushOf(project, { message: 'x'.repeat(501) }));
    expect(error).toMatchObject({ code: 'USAGE_INVALID', message: expect.stringContaining('501 characters') });
    expect(await versionsOf(project)).toBe(0);
  });

  describe('a file that holds a password', () => {
    const uriIn = (password: string) => `postgres://shop:${password}@db.example.com/shop`;
    const codeWith = (uri: string) =>
      `// ${uriIn('in-a-comment')}\nexport const uri = ${uri};\n${codeThatSays('hello')}`;

    async function startProduction() {
      const project = await startPushingProject();
      const headers = {
        authorization: `Bearer ${project.context.variables['SERVICE_AUTH_TOKEN']}`,
        'content-type': 'application/json',
      };
      const body = JSON.stringify({ name: 'production', type: 'production' });
      const made = await fetch(`${project.serverUrl}/api/environments`, { method: 'POST', headers, body });
      expect(made.status).toBe(201);
      return project;
    }

    it('is refused for production, with its place and what to do, and is not sent', async () => {
      const project = await startProduction();
      await project.write(codeWith(`'${uriIn('s3cret')}'`));
      const error = await refusalOf(pushOf(project, { environment: 'production', isDeployed: false }));
      expect(error).toMatchObject({
        code: 'LITERAL_PASSWORD',
        message: expect.stringContaining('src/index.ts:2: a connection URI holds a password'),
        nextSteps: [
          expect.stringContaining('read that variable in the code'),
          expect.stringContaining('--allow-literal-password'),
        ],
      });
      expect(JSON.stringify([error.message, error.nextSteps, error.details])).not.toContain('s3cret');
      expect(await versionsOf(project)).toBe(0);
    });

    it('is refused where it is the URI of a data source', async () => {
      const project = await startProduction();
      const dataSources = { main: { uri: 'sqlite:./notes.sqlite' }, more: { uri: uriIn('s3cret') } };
      await writeFiles(project.root, { 'vendor-cloud.json': JSON.stringify({ name: 'notebook', dataSources }) });
      const error = await refusalOf(pushOf(project, { environment: 'production', isDeployed: false }));
      expect(error.message).toContain('vendor-cloud.json:1: a connection URI holds a password');
      expect(error.nextSteps[0]).toContain('"${DATABASE_URL}"');
    });

    it('goes to a development environment, and anywhere with the flag', async () => {
      const project = await startProduction();
      await project.write(codeWith(`'${uriIn('s3cret')}'`));
      expect(await pushOf(project, { isDeployed: false })).toMatchObject({ version: { number: 1 } });
      const allowed = { environment: 'production', isDeployed: false, allowsLiteralPasswords: true };
      expect(await pushOf(project, allowed)).toMatchObject({ environment: 'production' });
    });

    it.each([
      ['a variable', '`postgres://shop:${process.env.PASSWORD}@db.example.com/shop`'],
      ['the word in place of one', `'${uriIn('password')}'`],
      ['a placeholder', `'${uriIn('<secret>')}'`],
      ['no password', `'postgres://shop@db.example.com/shop'`],
      ['a time in a path', `'https://example.com/12:30@noon'`],
    ])('is sent where there is %s', async (_what, uri) => {
      const project = await startProduction();
      await project.write(codeWith(uri));
      const pushed = await pushOf(project, { environment: 'production', isDeployed: false });
      expect(pushed).toMatchObject({ environment: 'production', version: { number: 1 } });
    });
  });

  describe('a push of what the last one has built', () => {
    /** A project that was pushed, and how often it has been built since then. */
    async function startPushedProject(files: Readonly<Record<string, string>> = {}) {
      const project = await startPushingProject();
      await writeFiles(project.root, files);
      await mkdir(path.join(project.root, '.vendor-cloud'));
      await untilTimeGoesOn(project.root);
      let builds = 0;
      // A build sets a variable for its compiler.
      const withVariable: typeof project.context.withVariable = (...call) => {
        builds += 1;
        return project.context.withVariable(...call);
      };
      const counting = { ...project, context: { ...project.context, withVariable } };
      await pushOf(counting);
      expect(builds).toBe(1);
      return { ...counting, builds: () => builds - 1 };
    }

    it('builds nothing, and says what the push before has said', async () => {
      const project = await startPushedProject();
      const pushed = await pushOf(project);
      expect(pushed).toMatchObject({ isUnchanged: true, version: { number: 1 }, deployment: { number: 1 } });
      expect(pushed.packages).toEqual([{ package: null, sizeBytes: expect.any(Number) }]);
      expect(project.builds()).toBe(0);
    });

    it('warns again of modules that a host may lack', async () => {
      const code = `try { require('absent'); } catch {}\n${codeThatSays('hello')}`;
      const project = await startPushedProject({ 'src/index.ts': code });
      const warnings: string[] = [];
      const warn = (message: string) => void warnings.push(message);
      await pushOf({ ...project, context: { ...project.context, reporter: { ...project.context.reporter, warn } } });
      expect(project.builds()).toBe(0);
      expect(warnings).toEqual([expect.stringContaining('src/index.ts:1:')]);
    });

    it('builds and deploys it again where the environment was rolled back meanwhile', async () => {
      const project = await startPushedProject();
      await project.write(codeThatSays('bye'));
      await untilTimeGoesOn(project.root);
      expect(await pushOf(project)).toMatchObject({ isUnchanged: false, version: { number: 2 } });
      const base = (await project.client.listDeployments()).live;
      await deploy(project.context, project.client, { target: { version: 1 }, base });
      const pushed = await pushOf(project);
      expect(pushed).toMatchObject({ isUnchanged: false, version: { number: 2 }, deployment: { number: 4 } });
      expect(project.builds()).toBe(2);
    });

    it.each([
      ['other code', { 'src/index.ts': codeThatSays('bye') }],
      ['rights', { 'permissions.json': '{ "roles": { "Admin": { "collections": {} } } }' }],
      [
        'another data source',
        {
          'vendor-cloud.json':
            '{ "name": "notebook", "dataSources": { "main": { "uri": "sqlite:./notes.sqlite", "softDelete": false } } }',
        },
      ],
      [
        'another setting',
        {
          'vendor-cloud.json':
            '{ "name": "notebook", "activityRequired": true, "dataSources": { "main": { "uri": "sqlite:./notes.sqlite" } } }',
        },
      ],
    ])('is another version with %s', async (_what, files) => {
      const project = await startPushedProject();
      await writeFiles(project.root, files);
      expect(await pushOf(project, { isDeployed: false })).toMatchObject({
        isUnchanged: false,
        version: { number: 2 },
      });
      expect(project.builds()).toBe(1);
    });

    it('refuses a plan that does not hold', async () => {
      const project = await startPushedProject();
      const refusal = await refusalOf(pushOf(project, { plan: 'development-1-0-0123456789abcdef' }));
      expect(refusal).toMatchObject({ code: 'PLAN_STALE' });
      expect(project.builds()).toBe(0);
    });
  });

  it('makes no version of code that is live already', async () => {
    const project = await startPushingProject();
    const first = await pushOf(project);
    const second = await pushOf(project, { message: 'again' });
    expect(second).toMatchObject({ isUnchanged: true, version: first.version, deployment: { number: 1 } });
    expect([await versionsOf(project), await deploymentsOf(project)]).toEqual([1, 1]);
  });

  it('tells the commit of what it sends, and asks git nothing where nothing is sent', async () => {
    const project = await startPushingProject();
    const asked: string[] = [];
    const gitCommit = async (folder: string) => {
      asked.push(folder);
      return '0123456789abcdef0123456789abcdef01234567';
    };
    const ofRepository = { ...project, context: { ...project.context, gitCommit } };
    expect((await pushOf(ofRepository)).version.gitCommit).toBe('0123456789abcdef0123456789abcdef01234567');
    expect((await pushOf(ofRepository)).isUnchanged).toBe(true);
    expect(asked).toEqual([project.root]);
  });

  it('says that code which was uploaded before keeps its message', async () => {
    const project = await startPushingProject();
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    const context = { ...project.context, reporter: { ...project.context.reporter, warn } };
    await pushOf({ ...project, context }, { message: 'first', isDeployed: false });
    const again = await pushOf({ ...project, context }, { message: 'second' });
    expect(again).toMatchObject({ isUnchanged: false, version: { number: 1, message: 'first' } });
    const told = 'Version 1 has this code already. It keeps the message that it has.';
    expect(warnings.filter((message) => message === told)).toHaveLength(1);
  });

  it('deploys the same version again when only the variables have changed', async () => {
    const project = await startPushingProject();
    await pushOf(project);
    await project.client.changeVariables({ set: { REGION: 'north' }, unset: [], base: 0 });
    const again = await pushOf(project);
    expect(again).toMatchObject({
      isUnchanged: false,
      version: { number: 1 },
      deployment: { number: 2, variablesRevision: 1, state: 'live' },
    });
  });

  it.each([
    ['does not build', 'export default () => {', 'BUILD_FAILED'],
    [
      'throws when it is loaded',
      "throw new Error('on purpose'); export default () => undefined;",
      'CUSTOMIZATION_FAILED',
    ],
    [
      'does not fit the tables',
      "export default (agent) => agent.customizeCollection('noets', () => undefined);",
      'CUSTOMIZATION_INVALID',
    ],
    [
      'fails on a record',
      codeThatSays('x').replace("'x'", "(() => { throw new Error('on purpose'); })()"),
      'CUSTOMIZATION_FAILED',
    ],
  ])('makes no version of code that %s', async (_what, code, expected) => {
    const project = await startPushingProject();
    const database = await project.context.openDatabase(path.join(project.root, 'notes.sqlite'));
    database.run("insert into notes (text) values ('a note')");
    database.close();
    await project.write(code);
    expect((await refusalOf(pushOf(project))).code).toBe(expected);
    expect([await versionsOf(project), await deploymentsOf(project)]).toEqual([0, 0]);
  });

  it('makes no version of code with wrong types, and shows the first place', async () => {
    const project = await startPushingProject();
    await symlink(path.dirname(compiler), path.join(project.root, 'node_modules'));
    const settings = { compilerOptions: { strict: true, noEmit: true, types: [] }, include: ['src'] };
    await writeFiles(project.root, { 'tsconfig.json': JSON.stringify(settings) });
    await project.write("const count: number = 'one';\nconst more: string = 2;\nexport default () => [count, more];");
    const error = await refusalOf(pushOf(project));
    expect(error).toMatchObject({
      code: 'BUILD_TYPES_WRONG',
      message: expect.stringMatching(/not assignable to type 'number'.*\(and 1 more\)/),
      location: { file: path.join(project.root, 'src/index.ts'), line: 1, column: 7 },
    });
    // The compiler remembers what it has checked, and tells the same again.
    expect((await refusalOf(pushOf(project))).code).toBe('BUILD_TYPES_WRONG');
    expect(await versionsOf(project)).toBe(0);
    await project.write('const count: number = 1;\nexport default () => void count;');
    expect((await pushOf(project)).deployment).toMatchObject({ state: 'live' });
  });

  it('makes no version with rights that name what is not there', async () => {
    const project = await startPushingProject();
    const rights = { roles: { Support: { collections: { noets: { browse: true } } } } };
    await writeFiles(project.root, { 'permissions.json': JSON.stringify(rights) });
    expect((await refusalOf(pushOf(project))).code).toBe('PERMISSION_FILE_INVALID');
    expect(await versionsOf(project)).toBe(0);
  });

  it('follows a deployment to its end when answers about it are lost', async () => {
    const project = await startPushingProject();
    const proxy = await startLosingProxy(project.serverUrl, (request) => /^GET \/api\/deployments\/\d+/.test(request));
    const variables = { ...project.context.variables, SERVICE_SERVER_URL: proxy.url };
    const input = { folder: project.root, message: '', isDeployed: true };
    const { deployment } = await push({ ...project.context, variables }, input);
    expect(deployment).toMatchObject({ number: 1, state: 'live' });
    expect(proxy.lost[0]).toContain('/api/deployments/1/log?after=0&');
    expect(proxy.lost.at(-1)).toBe('GET /api/deployments/1');
  });
});

describe('a push without its databases', () => {
  async function withoutDatabase(): Promise<PushingProject> {
    const project = await startPushingProject();
    await writeSchema(project.context, project.root);
    await rm(path.join(project.root, 'notes.sqlite'));
    const config = { name: 'notebook', dataSources: { main: { uri: '${NOT_SET_HERE}' } } };
    await writeFiles(project.root, { 'vendor-cloud.json': JSON.stringify(config) });
    return project;
  }

  it('compiles against schema.json', async () => {
    const project = await withoutDatabase();
    expect((await pushOf(project)).deployment).toMatchObject({ state: 'live' });
    await project.write(codeThatSays('x').replace("['text']", "['txet']"));
    expect(await refusalOf(pushOf(project))).toMatchObject({
      code: 'CUSTOMIZATION_INVALID',
      message: expect.stringContaining('txet'),
    });
    expect(await versionsOf(project)).toBe(1);
  });

  it('asks the databases if it is asked to', async () => {
    const error = await refusalOf(pushOf(await withoutDatabase(), { against: 'database' }));
    expect(error.code).toBe('PROJECT_VARIABLE_MISSING');
  });

  it('needs none for a project that uses none', async () => {
    const project = await startPushingProject();
    await writeFiles(project.root, { 'vendor-cloud.json': JSON.stringify({ name: 'notebook', dataSources: {} }) });
    await project.write('export default () => undefined;');
    expect((await pushOf(project)).deployment).toMatchObject({ state: 'live' });
  });
});

describe('pushes that meet', () => {
  it('leave one winner, and tell the other what to do', async () => {
    const project = await startPushingProject();
    const other = await temporaryFolder();
    await cp(project.root, other, { recursive: true });
    await writeFile(path.join(other, 'src/index.ts'), codeThatSays('other'));
    const results = await Promise.allSettled([
      pushOf(project),
      push(project.context, { folder: other, message: '', isDeployed: true }),
    ]);
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as CloudError] : []));
    expect(refused).toEqual([
      expect.objectContaining({
        code: 'REQUEST_CONFLICT',
        nextSteps: expect.arrayContaining([expect.stringContaining('vendor-cloud plan')]),
      }),
    ]);
    expect(catalogue.REQUEST_CONFLICT.exitCode).toBe(5);
    expect(await deploymentsOf(project)).toBe(1);
  });

  it('act once when answers of the platform are lost', async () => {
    const project = await startPushingProject();
    const proxy = await startLosingProxy(project.serverUrl, (request) => !request.startsWith('GET'));
    const variables = { ...project.context.variables, SERVICE_SERVER_URL: proxy.url };
    const input = { folder: project.root, message: '', isDeployed: true };
    const { deployment } = await push({ ...project.context, variables }, input);
    expect(deployment).toMatchObject({ number: 1, state: 'live' });
    expect(proxy.lost.map((request) => request.replace(/[0-9a-f]{64}/, '<digest>'))).toEqual([
      'POST /api/bundles/missing',
      // The code, and its schema.
      'PUT /api/bundles/<digest>',
      'PUT /api/bundles/<digest>',
      'POST /api/versions',
      'POST /api/deployments',
    ]);
    expect([await versionsOf(project), await deploymentsOf(project)]).toEqual([1, 1]);
  });

  it('end after --timeout when a host does not answer, and the deployment goes on', async () => {
    const project = await startPushingProject();
    const { http, random } = project.context;
    const host = connectHost({ serverUrl: project.serverUrl, envSecret: project.envSecret, http, random });
    const beat = {
      host: random.uuid(),
      name: 'silent',
      workers: 1,
      serving: null,
      checked: null,
      refused: null,
      log: [],
    };
    await host.beat(beat);
    const error = await refusalOf(pushOf(project, { timeoutMs: 50 }));
    expect([error.code, catalogue[error.code].exitCode]).toEqual(['DEPLOYMENT_UNFINISHED', 6]);
    expect((await project.client.deployment(1)).state).toBe('checking');
    await project.write(codeThatSays('next'));
    expect(await refusalOf(pushOf(project))).toMatchObject({
      code: 'REQUEST_CONFLICT',
      message: expect.stringContaining('Deployment 1 (version 1, by Ada Lovelace) is being carried out.'),
    });
  });
});

it('a push that fails ends with the command that sets a variable which the environment does not have', async () => {
  const project = await startPushingProject();
  const config = { name: 'notebook', dataSources: { main: { uri: '${NOTES_URL}' } } };
  await writeFiles(project.root, { 'vendor-cloud.json': JSON.stringify(config) });
  const variables = { ...project.context.variables, NOTES_URL: 'sqlite:./notes.sqlite' };
  const { http, random } = project.context;
  const host = connectHost({ serverUrl: project.serverUrl, envSecret: project.envSecret, http, random });
  const beat = { host: random.uuid(), name: 'poor', workers: 1, serving: null, checked: null, log: [] };
  await host.beat({ ...beat, refused: null });
  const pushing = refusalOf(pushOf({ ...project, context: { ...project.context, variables } }));
  await eventually(async () => expect((await project.client.deployment(1)).state).toBe('checking'));
  await host.beat({ ...beat, refused: { deployment: 1, reason: 'NOTES_URL is not set.' } });
  expect(await pushing).toMatchObject({
    code: 'DEPLOYMENT_FAILED',
    nextSteps: [
      'Set NOTES_URL: vendor-cloud variables set NOTES_URL --env development < file-with-the-value',
      'Fix what the message names, then deploy again.',
    ],
  });
});
