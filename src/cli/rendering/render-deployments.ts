import path from 'node:path';
import type { Deployment } from '#contracts/deployments';
import type { VersionChanges } from '#contracts/versions';
import type { BuildResult } from '#flows/build/build';
import type { ListedVersions } from '#flows/deployments/list-versions';
import type { Promoted } from '#flows/deployments/promote';
import type { Swap, Swapped } from '#flows/deployments/swap-confirmation';
import type { PushResult } from '#flows/push/push';
import type { PackageSize } from '#project/index';
import { cutTextFor, renderTable, singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { renderChange } from './render-project.ts';

/** A bundle of this size is worth a look at what it is made of, in bytes. */
const largeBytes = 1024 * 1024;

export function renderPush(result: PushResult, terminal: Terminal): string {
  const { version, environment, deployment, isUnchanged, packages } = result;
  const { resultStyle } = terminal;
  const what = `${version.digest.slice(0, 12)}, ${sizeText(version.sizeBytes)}`;
  if (isUnchanged) {
    return `${resultStyle.green('✔')} Nothing to push: version ${resultStyle.bold(version.number)} (${what}) is live in ${environment} and has this code.`;
  }
  const pushed = `${resultStyle.green('✔')} Version ${resultStyle.bold(version.number)} is uploaded (${what}).`;
  const sizes = version.sizeBytes < largeBytes ? [] : renderSizes(packages).map((line) => resultStyle.dim(line));
  return [pushed, ...sizes, ...(deployment ? [renderDeployment({ deployment, environment }, terminal)] : [])].join(
    '\n',
  );
}

export function renderSwapped({ deployment, environment }: Swapped, terminal: Terminal): string {
  return deployment ? renderDeployment({ deployment, environment }, terminal) : 'Nothing was changed.';
}

export function renderPromoted(result: Promoted, terminal: Terminal): string {
  const { isUnchanged, deployment, environment, from } = result;
  if (!isUnchanged || !deployment) return renderSwapped(result, terminal);
  const { resultStyle } = terminal;
  return `${resultStyle.green('✔')} Nothing to promote: ${environment} serves version ${resultStyle.bold(deployment.version)} of ${from} already.`;
}

/** What is served, what is to be served, and what stays as it is. */
export function renderSwap({ environment, current, target, changes }: Swap, style: Terminal['style']): string {
  const variables = target.deployment
    ? `The variables become those of revision ${target.deployment.variablesRevision} again.`
    : `The variables are those of ${environment}.`;
  return [
    `${style.red('-')} ${servedText(current)}`,
    `${style.green('+')} ${servedText(target)}`,
    ...(changes ? changeLines(changes, style) : []),
    `${variables} Databases and rights stay as they are.`,
  ].join('\n');
}

function changeLines(
  { schema, dashboards, settings, isBreaking }: VersionChanges,
  style: Terminal['style'],
): readonly string[] {
  const all = [...(schema ?? []), ...(dashboards ?? []), ...(settings ?? [])];
  return [
    ...all.map((change) => `  ${renderChange(change, style)}`),
    ...(schema ? [] : ['  What changes of the schema is not known: an older command line pushed one of the two.']),
    ...(isBreaking ? [style.yellow('! Some changes may break what others rely on.')] : []),
  ];
}

function servedText({ deployment, version }: Swap['target']): string {
  if (!version) return deployment ? `version ${deployment.version}` : 'nothing';
  const of = deployment ? `, deployment ${deployment.number}` : '';
  const about = version.message ? ` “${singleLine(version.message)}”` : '';
  return `version ${version.number}${of} (${version.createdAt.slice(0, 16).replace('T', ' ')}, ${singleLine(version.author.name)})${about}`;
}

interface Deployed {
  readonly environment: string;
  readonly deployment: Deployment;
}

function renderDeployment({ deployment, environment }: Deployed, { resultStyle }: Terminal): string {
  const { number, version, note } = deployment;
  const line = `${resultStyle.green('✔')} Version ${resultStyle.bold(version)} is live in ${environment} (deployment ${number}).`;
  return note === null ? line : `${line} ${note}`;
}

export function renderVersions(
  { environment, versions, live, deployments, nextBefore }: ListedVersions,
  terminal: Terminal,
): string {
  if (versions.length === 0) return `There is no version yet. Make one: vendor-cloud push --env ${environment}`;
  const cut = cutTextFor(terminal);
  const rows = versions.map((version) => [
    version.number === live ? `${version.number} live` : String(version.number),
    String(deployments.find((deployment) => deployment.version === version.number)?.number ?? '-'),
    version.createdAt.slice(0, 16).replace('T', ' '),
    version.gitCommit?.slice(0, 8) ?? '-',
    cut(version.author.name, 20),
    version.message,
  ]);
  const names = ['VERSION', 'DEPLOYMENT', 'TIME (UTC)', 'COMMIT', 'AUTHOR', 'MESSAGE'];
  const more =
    nextBefore === null ? [] : ['', `Older ones: vendor-cloud versions --env ${environment} --before ${nextBefore}`];
  return [renderTable(names, rows, terminal), ...more].join('\n');
}

/** Packages that are named; the others are summed up. */
const maxNamed = 8;

/** How much of a bundle comes from each package, one a line. */
export function renderSizes(packages: readonly PackageSize[]): readonly string[] {
  const shown = packages.length > maxNamed + 1 ? packages.slice(0, maxNamed) : packages;
  const others = packages.slice(shown.length);
  const rest = others.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return [
    ...shown.map((each) => `${sizeText(each.sizeBytes).padStart(10)}  ${each.package ?? '(your code)'}`),
    ...(others.length > 0 ? [`${sizeText(rest).padStart(10)}  ${others.length} other packages`] : []),
  ];
}

export function sizeText(bytes: number): string {
  const kilobytes = bytes / 1024;
  return kilobytes < 1000 ? `${kilobytes.toFixed(1)} kB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}

export function renderBuild({ files, manifest, packages }: BuildResult, { resultStyle: style }: Terminal): string {
  const { digest, sizeBytes } = manifest.code;
  const name = path.relative('', files.code);
  return [
    `${style.green('✔')} ${name} is written (${digest.slice(0, 12)}, ${sizeText(sizeBytes)} with its source map).`,
    ...renderSizes(packages),
  ].join('\n');
}
