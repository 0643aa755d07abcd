import path from 'node:path';
import type { Check } from '#contracts/checks';
import { type ProjectDataSource, projectConfigFile } from '#contracts/project-config';
import { cloudError, isCloudError, toCloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import { parseServerAddress } from '#kernel/text/server-address';
import { resolveDataSources } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { packageManagerOf, runCommand } from '../packages/package-manager.ts';
import { isKeptByYarn, usesPlugAndPlay } from '../packages/plug-and-play.ts';
import type { ProjectParts } from '../platform-access/project-parts.ts';
import { failed, passed, skipped, warning } from './doctor-check.ts';

/** The checks of the project and its databases; outside a project there is nothing to check. */
export async function checkProject(context: FlowContext, parts: ProjectParts): Promise<Check[]> {
  const { root, config, problems } = parts;
  if (root === undefined) return [skipped('project', 'This folder is in no project.')];
  const broken = problems.map((problem) => failed('project', problem));
  if (!config) return broken;
  return [
    ...broken,
    await checkFiles(context, root, config.name, config.entry),
    await checkVersions(context, root),
    ...(await checkDatabases(context, parts)),
  ];
}

async function checkFiles({ fs }: FlowContext, root: string, name: string, entry: string): Promise<Check> {
  if (await fs.exists(path.join(root, entry))) return passed('project', `The project "${name}" is in ${root}.`);
  return failed('project', {
    message: `The customization code ${entry} does not exist.`,
    nextSteps: [`Create it, or correct "entry" in ${projectConfigFile}.`],
  });
}

/** The package that the project depends on, beside the one that runs. */
async function checkVersions(context: FlowContext, root: string): Promise<Check> {
  const { fs, package: running } = context;
  const manager = await packageManagerOf(context, root);
  const runs = passed('versions', `The project has ${running.name} ${running.version}, which runs.`);
  const runTheOther = `Run the one of the project: ${runCommand(manager, 'vendor-cloud doctor')}`;
  if (await usesPlugAndPlay(fs, root)) {
    if (isKeptByYarn(running.root)) return runs;
    return warning('versions', `The project has a ${running.name} of its own, and another one runs.`, runTheOther);
  }
  const text = await readInstalled(fs, root, running.name);
  if (text === null) {
    return warning(
      'versions',
      `${running.name} is not installed in the project.`,
      `Run "${manager} install" in ${root}.`,
    );
  }
  const { version } = JSON.parse(text) as { readonly version?: string };
  if (version === running.version) return runs;
  return warning('versions', `The project has ${running.name} ${version}, and ${running.version} runs.`, runTheOther);
}

/** The description of a package that is installed in a folder or, as in a workspace, above it. */
async function readInstalled(fs: FileSystem, root: string, name: string): Promise<string | null> {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const text = await fs.readText(path.join(folder, 'node_modules', name, 'package.json'));
    if (text !== null || folder === path.dirname(folder)) return text;
  }
}

async function checkDatabases(context: FlowContext, { root, config, env }: ProjectParts): Promise<Check[]> {
  const sources = Object.entries(config?.dataSources ?? {});
  if (sources.length === 0) return [warning('databases', 'The project names no database.')];
  return Promise.all(
    sources.map(async ([name, source]) => {
      try {
        const resolved = resolveDataSources({ [name]: source }, root ?? '', env);
        const uri = resolved[name]?.uri ?? '';
        await reach(context, uri);
        return await checkDatabase(name, { ...source, ...resolved[name], uri });
      } catch (error) {
        if (!isCloudError(error)) throw error;
        return failed(`database ${name}`, error);
      }
    }),
  );
}

/** A server that does not listen is waited for when an agent starts; here it is an answer. */
async function reach({ tcp }: FlowContext, uri: string): Promise<void> {
  const { url, hosts } = parseServerAddress(uri) ?? { url: undefined, hosts: [] };
  const usual = defaultPorts[url?.protocol ?? ''];
  if (!url || url.hostname === '' || usual === undefined) return;
  const reachOne = async (host: string) => {
    const { hostname, port } = new URL(`tcp://${host}`);
    const connection = await tcp.connect({ host: hostname, port: Number(port) || usual, isTls: false });
    await connection.close();
  };
  try {
    await Promise.any(hosts.map(reachOne));
  } catch (cause) {
    const [first] = cause instanceof AggregateError ? cause.errors : [cause];
    const places = hosts.map((host) => (/:\d+$/.test(host) ? host : `${host}:${usual}`)).join(', ');
    throw cloudError(
      'DATABASE_UNREACHABLE',
      `Nothing answers at ${places}. ${first instanceof Error ? first.message : ''}`.trim(),
      ['Start the database, or correct its address.', 'Check the network and the firewall between.'],
      { cause },
    );
  }
}

const defaultPorts: Readonly<Record<string, number | undefined>> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'mariadb:': 3306,
  'mysql:': 3306,
};

/** Opens the database and reads its catalogue; writes nothing. */
async function checkDatabase(name: string, source: ProjectDataSource): Promise<Check> {
  const { uri, include, exclude, replicas } = source;
  const title = `database ${name}`;
  const place = `the data source "${name}" in ${projectConfigFile}`;
  const { createUriDataSource, replicaInWords, selectCollections } = await import('#runtime/index');
  try {
    const opened = await createUriDataSource(uri, { startupTimeoutMs: 0, replicas })();
    const served = await selectCollections(async () => opened, { include, exclude }, place)();
    const zones = await opened.zoneWarning?.();
    const found = (await opened.replicas?.look()) ?? [];
    await served.close();
    const [all, some] = [opened.collections.length, served.collections.length];
    if (all === 0)
      return warning(title, `It answers, and has no collection. ${opened.warnings?.join(' ') ?? ''}`.trim());
    const has = some === all ? `It has ${all} collections.` : `The project serves ${some} of its ${all} collections.`;
    const serves = [has, ...found.map(replicaInWords)].join(' ');
    if (found.some(({ leftOut }) => leftOut !== undefined)) {
      return warning(title, serves, 'Start the replica, or take it out of "replicas". Until then others answer.');
    }
    if (zones !== undefined) {
      return warning(title, `${serves} ${zones}`, 'Update Node.js, or the time zones of the database server.');
    }
    const keyless = served.collections.filter(({ primaryKey }) => primaryKey.length === 0).map((each) => each.name);
    if (keyless.length === 0) return passed(title, serves);
    const why = `Nothing tells the records of ${keyless.join(', ')} apart: exports, charts and MCP show them, and lists over REST do not.`;
    return warning(title, `${serves} ${why}`, 'Add a primary key to these tables.');
  } catch (error) {
    return failed(title, toCloudError(error));
  }
}
