import type { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';
import { catalogue } from '#kernel/errors/catalogue';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';
import { type CloudError, cloudError, isCloudError, toCloudError } from '#kernel/errors/cloud-error';
import { type ProcessEnvironment, processEnvironment } from '#node/environment/process-environment';
import { helpDocument } from './help/help-document.ts';
import { mapUsageError, unknownCommand } from './help/usage-error.ts';
import { handleInterrupts } from './invocation/interrupts.ts';
import { type Invocation, loadConfig } from './invocation/invocation.ts';
import { packageInfo } from './invocation/package-info.ts';
import { createTerminal, type Terminal } from './terminal/terminal.ts';

/** Run the command line. Sets the exit code of the process; never rejects. */
export async function main(environment: ProcessEnvironment = processEnvironment): Promise<void> {
  const words = [...environment.arguments];
  const isJson = hasFlag(words, '--json') || isTrue(environment.variables['SERVICE_JSON']);
  const hasColor = !hasFlag(words, '--no-color') && environment.variables['SERVICE_COLOR'] !== 'false';
  const terminal = createTerminal(environment, { isJson, hasColor });
  const interrupts = handleInterrupts(environment, terminal);
  const invocation: Invocation = { environment, terminal, ...interrupts.invocation };
  let command: Command.Loadable | undefined;
  let bin = 'vendor-cloud';
  try {
    if (words[0] === '--version' || words[0] === '-v') return printVersion(terminal);
    const config = await loadConfig(packageInfo.root, invocation);
    const { findCommand } = await import('./help/find-command.ts');
    bin = config.bin;
    if (isHelp(words)) return await printHelp(config, terminal, words);
    const found = findCommand(config, words);
    if (!found) throw unknownCommand(config, namesIn(words));
    command = found.command;
    await config.runCommand(command.id, [...found.parameters], command);
    await tellOfUpdate(invocation);
  } catch (thrown) {
    interrupts.failed();
    await fail(
      invocation,
      invocation.interrupted.aborted ? interruptedError() : mapUsageError(thrown, bin, command),
      words,
    );
  } finally {
    await interrupts.end();
  }
}

/** Loaded only for a person at a terminal. */
async function tellOfUpdate(invocation: Invocation): Promise<void> {
  if (!wantsUpdateNotice(invocation)) return;
  const notice = await import('./updates/update-notice.ts');
  await notice.tellOfUpdate(invocation);
}

/** Whether somebody would read a notice of a newer version, and has not switched it off. */
function wantsUpdateNotice({ environment, terminal, interrupted }: Invocation): boolean {
  const { isErrorTerminal, isOutputTerminal, variables } = environment;
  const isOff = ['CI', 'NO_UPDATE_NOTIFIER'].some((name) => variables[name]);
  return isErrorTerminal && isOutputTerminal && !terminal.isJson && !isOff && !interrupted.aborted;
}

function printVersion(terminal: Terminal): void {
  const { name, version } = packageInfo;
  if (terminal.isJson) terminal.json({ name, version, node: process.version });
  else terminal.result(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}`);
}

async function printHelp(config: Config, terminal: Terminal, words: readonly string[]): Promise<void> {
  const named = namesIn(words).filter((word) => word !== 'help');
  const command = longestCommand(config, named);
  const group = command ? undefined : config.findTopic(named.join(':'));
  if (named.length > 0 && !command && !group) return await printTopic(config, terminal, named);
  if (terminal.isJson) return terminal.json(helpDocument(config, command, group?.name));
  const { PlainHelp } = await import('./help/help-topics.ts');
  const shown = command?.id ?? group?.name;
  await new PlainHelp(config, terminal.resultColumns).showHelp(shown === undefined ? [] : [shown]);
  if (shown === undefined) terminal.result(`\nMORE\n  vendor-cloud help exit-codes\n  vendor-cloud help environment`);
}

/** The command that the first words name; the others are what it is called with. */
function longestCommand(config: Config, words: readonly string[]): Command.Loadable | undefined {
  const names = words.map((_word, index) => words.slice(0, words.length - index).join(':'));
  return names.map((name) => config.findCommand(name)).find((command) => command !== undefined);
}

/** What is neither a command nor a group of commands. */
async function printTopic(config: Config, terminal: Terminal, named: readonly string[]): Promise<void> {
  const { helpTopic } = await import('./help/help-topics.ts');
  const topic = helpTopic(named.join('-'), terminal);
  if (!topic) throw unknownCommand(config, named);
  if (terminal.isJson) terminal.json(topic.data);
  else terminal.result(topic.text);
}

async function fail(invocation: Invocation, thrown: unknown, words: readonly string[]): Promise<void> {
  const { environment, terminal } = invocation;
  // Loaded only when there is an error, because it takes long to load.
  const { errorJson, renderError } = await import('./rendering/render-error.ts');
  const error = toCloudError(thrown);
  const isDebug = hasFlag(words, '--debug') || isTrue(environment.variables['SERVICE_DEBUG']);
  if (terminal.isJson) terminal.json(errorJson(error));
  else if (error.code === 'INTERRUPTED') tellOfCancelling(invocation);
  else terminal.note(renderError(terminal, error, { workingFolder: environment.workingFolder, isDebug }));
  environment.setExitCode(isCloudError(error) ? catalogue[error.code].exitCode : exitCodes.bug);
}

/** An interrupted command has said already that it stops; one whose question was not answered has said nothing. */
function tellOfCancelling({ interrupted, terminal }: Invocation): void {
  if (!interrupted.aborted) terminal.note('Cancelled.');
}

function interruptedError(): CloudError {
  return cloudError('INTERRUPTED', 'The command was interrupted.', 'Run it again.');
}

function namesIn(words: readonly string[]): string[] {
  return words.filter((word) => !word.startsWith('-'));
}

function isHelp(words: readonly string[]): boolean {
  const first = words.find((word) => !word.startsWith('-'));
  return first === undefined || first === 'help' || hasFlag(words, '--help') || hasFlag(words, '-h');
}

function hasFlag(words: readonly string[], flag: string): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end === -1 ? undefined : end).includes(flag);
}

function isTrue(text: string | undefined): boolean {
  return text === 'true' || text === '1';
}
