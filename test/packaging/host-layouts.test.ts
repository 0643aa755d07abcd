import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { push } from '#flows/push/push';
import { DevProcess } from '../helpers/dev-process.ts';
import { installedPackage } from '../helpers/installed-package.ts';
import { startPushingProject } from '../helpers/pushing-project.ts';
import { sessionTokenFor } from '../helpers/session-token.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

const repository = path.resolve(import.meta.dirname, '../..');

/** A host as it lies on a machine, below a folder that stands for its root. */
interface Layout {
  /** The program of `vendor-cloud`. */
  readonly program: string;
  /** Where the host is started, and what it keeps its files in. No package is installed in or above either. */
  readonly workingFolder: string;
  readonly stateFolder: string;
}

/** The settings of the unit, on the package in `/opt/vendor-cloud`. */
async function systemdUnit(root: string): Promise<Layout> {
  const unit = await readFile(path.join(repository, 'deploy/vendor-cloud-host.service'), 'utf8');
  const setting = (pattern: RegExp) => path.join(root, pattern.exec(unit)?.[1] ?? '');
  const modules = setting(/^ExecStart=\/usr\/bin\/node (\S+?\/node_modules)\//m);
  await mkdir(path.dirname(modules), { recursive: true });
  await symlink(path.join(installedPackage().folder, 'node_modules'), modules);
  return {
    program: setting(/^ExecStart=\/usr\/bin\/node (\S+)/m),
    workingFolder: setting(/^WorkingDirectory=(\S+)/m),
    stateFolder: setting(/^Environment=SERVICE_STATE_FOLDER=(\S+)/m),
  };
}

/** What the Containerfile copies into `/app`, which is the package itself and not installed in a folder of packages. */
async function container(root: string): Promise<Layout> {
  const file = await readFile(path.join(repository, 'deploy/Containerfile'), 'utf8');
  const app = path.join(root, 'app');
  await mkdir(app, { recursive: true });
  for (const [, names = ''] of file.matchAll(/^COPY (?!--)(.+) \.\/?(?:\w+)?$/gm)) {
    for (const name of names.split(' ').filter((each) => each !== '.npmrc')) {
      await cp(path.join(repository, name), path.join(app, path.basename(name)), { recursive: true });
    }
  }
  await symlink(path.join(repository, 'node_modules'), path.join(app, 'node_modules'));
  const state = /^ENV SERVICE_STATE_FOLDER=(\S+)/m.exec(file)?.[1] ?? '';
  const workingFolder = path.join(root, /^WORKDIR (\/var\S+)/m.exec(file)?.[1] ?? '');
  return { program: path.join(app, 'bin/vendor-cloud.js'), workingFolder, stateFolder: path.join(root, state) };
}

/** `npm install --global`, started anywhere. */
async function globalInstallation(root: string): Promise<Layout> {
  const prefix = path.join(root, 'usr/local');
  const [tarball = ''] = installedPackage().tarballs;
  const parameters = [
    '--global',
    '--prefix',
    prefix,
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
  ];
  await execa('npm', ['install', ...parameters, tarball], { cwd: root });
  const workingFolder = path.join(root, 'srv');
  return {
    program: path.join(prefix, 'bin/vendor-cloud'),
    workingFolder,
    stateFolder: path.join(workingFolder, 'state'),
  };
}

it.each([
  ['the unit of systemd', systemdUnit],
  ['the container', container],
  ['a global installation', globalInstallation],
])('code that uses @vendor/cloud runs on a host of %s', { tags: 'long' }, async (_, layoutIn) => {
  const { program, workingFolder, stateFolder } = await layoutIn(await temporaryFolder());
  await mkdir(workingFolder, { recursive: true });
  const project = await startPushingProject();
  await project.write(`import { concat, field, ValidationError } from '@vendor/cloud';
    export default (agent) => agent.customizeCollection('notes', (notes) => notes
      .addField('loud', { columnType: 'String', expression: concat(field('text'), '!') })
      .addHook('Before', 'List', () => { throw new ValidationError('Nobody may look.'); }));`);
  const uri = `sqlite:${path.join(project.root, 'notes.sqlite')}`;
  const config = { name: 'notebook', dataSources: { main: { uri } } };
  await writeFiles(project.root, { 'vendor-cloud.json': JSON.stringify(config) });
  const host = new DevProcess(program, ['serve', '--listen', '127.0.0.1:0', '--mcp-port', '0', '--workers', '1'], {
    cwd: workingFolder,
    env: {
      SERVICE_SERVER_URL: project.serverUrl,
      SERVICE_ENV_SECRET: project.envSecret,
      SERVICE_STATE_FOLDER: stateFolder,
      NODE_OPTIONS: '',
    },
  });
  onTestFinished(() => host.interrupt().then(() => undefined));
  await host.next('waiting');
  await push(project.context, { folder: project.root, message: '', isDeployed: true });
  const { url } = await host.next('serving');
  const token = await sessionTokenFor({ platformUrl: project.serverUrl, envSecret: project.envSecret });
  const answer = await fetch(`${url}/notes?timezone=UTC&fields[notes]=loud`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('Nobody may look.')]);
});
